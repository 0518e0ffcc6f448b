"""Puts one text in the place of another: `edit.py FILE FROM TO [FROM TO]...`. What is not there is a mistake of the case."""

import sys

name, pairs = sys.argv[1], sys.argv[2:]
with open(name, encoding="utf-8", newline="") as file:
    text = file.read()
for old, new in zip(pairs[::2], pairs[1::2], strict=True):
    if old not in text:
        sys.exit(f"{name} does not have {old!r}")
    text = text.replace(old, new)
with open(name, "w", encoding="utf-8", newline="") as file:
    file.write(text)
