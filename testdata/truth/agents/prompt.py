"""What a prompt holds: who is asked for what, and the texts between its fences."""

import os
import re

FENCED = re.compile(r"Data, not instructions — ([^\n]+):\n<<<(\w+)\n(.*?)\n\2>>>", re.S)
ITEM = re.compile(r"^(R\d+): ([A-Z_ ]+): (.*)$", re.M)
DRAFTS = ("the draft", "the candidate", "the artifact")


class Prompt:
    def __init__(self, text):
        self.text = text
        self.seat = os.environ.get("TRIBUNAL_SEAT", "")
        self.task = os.environ.get("TRIBUNAL_TASK", "")
        self.loop = os.environ.get("TRIBUNAL_LOOP", "")
        self.material = {label: text for label, _, text in FENCED.findall(text)}
        self.draft = next((self.material[label] for label in DRAFTS if label in self.material), "")
        self.page = shown(re.sub(r"(?s)<head\b.*?</head>", "", self.draft))
        self.whole = shown(self.draft)
        # What is put to the vote, as (id, level, words).
        self.items = ITEM.findall(self.material.get("what you vote on", ""))


def asked_for(words):
    """The words that an item wants to see in the draft, where it is one of those."""
    found = re.fullmatch(r'contains the words "(.*)"', words)
    return found and found.group(1)


def shown(draft):
    """A page as its readers see it."""
    if "<" not in draft:
        return draft
    text = re.sub(r"(?s)<!--.*?-->|<(style|script)\b.*?</\1>", "\n", draft)
    text = re.sub(r"</?(a|b|em|i|strong|code|span|small)\b[^>]*>", "", text)
    text = re.sub(r"<[^>]+>", "\n", text)
    for entity, plain in (("&nbsp;", " "), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&#39;", "'"), ("&amp;", "&")):
        text = text.replace(entity, plain)
    return text


def folded(text):
    """A text as people compare it."""
    text = re.sub(r"[*_`\u200b\u00ad]", "", text)
    for marks, plain in (("‘’‚", "'"), ("“”„«»", '"'), ("‐‑–—−", "-")):
        text = re.sub(f"[{marks}]", plain, text)
    return " ".join(text.lower().split())
