"""A judge who looks. What is true of a draft is in the case: `sees` has a pattern for every rule, `wants` has what the
brief asks for. What the draft does not have is absent; what no pattern is known for, the judge cannot tell."""

import json
import re

from prompt import asked_for, folded

PLACEHOLDER = re.compile(r"\btodo\b:?(?! list)|lorem ipsum|\btbd\b|\bxxx\b|\[insert", re.I)


def answer(agent, prompt):
    ballot = [vote(agent, prompt, *item) for item in prompt.items]
    if prompt.task.startswith("score"):
        return with_ballot({"scores": scores(agent, prompt)}, ballot)
    if prompt.loop == "review":
        return with_ballot(review(agent, prompt, ballot), ballot)
    if prompt.loop == "theater":
        return with_ballot(marks(agent, prompt, ballot), ballot)
    return {"ballot": ballot, "note": "Read to the end."}


def with_ballot(answer, ballot):
    return {**answer, "ballot": ballot} if ballot else answer


def vote(agent, prompt, number, level, words):
    wanted = asked_for(words)
    if wanted:
        is_there = folded(wanted) in folded(prompt.whole) or folded(wanted) in folded(prompt.draft)
        return met(number, wanted) if is_there else absent(number, "the draft does not have these words")
    pattern = next((seen for rule, seen in agent.get("sees", {}).items() if rule.lower() in words.lower()), None)
    if pattern is None and is_forbidden(level) and re.search(re.escape(words), prompt.page, re.I):
        return {"id": number, "says": "broken", "quote": words, "why": words}
    if pattern is None and is_unfit(prompt):
        return absent(number, "it is no finished text")
    if pattern is None:
        return {"id": number, "says": "cannot_tell", "why": "I do not know how this is told"}
    # A judge who reads the source finds what no reader of the page sees.
    text = prompt.draft if agent.get("reads") == "source" else prompt.page
    found = re.search(pattern, text, re.I | re.S)
    if is_forbidden(level):
        # Whoever says the rule itself has broken it.
        found = found or re.search(re.escape(words), prompt.page, re.I)
        return {"id": number, "says": "broken", "quote": found.group(0), "why": words} if found else met(number, None)
    return met(number, quote(agent, prompt, found)) if found else absent(number, f"nothing says it: {words}")


def is_forbidden(level):
    return level.replace("_", " ") == "MUST NOT"


def is_unfit(prompt):
    """Whether anybody sees that it is not finished, whatever it is about."""
    text = prompt.page.strip()
    return bool(PLACEHOLDER.search(text)) or breaks_off(text)


def met(number, quote):
    return {"id": number, "says": "met", "quote": quote} if quote else {"id": number, "says": "met"}


def absent(number, why):
    return {"id": number, "says": "broken", "absent": True, "why": why}


def quote(agent, prompt, found):
    """The words that show it: with the line that they stand in, where they are few."""
    text = found.group(0)
    if len(text.split()) < 3:
        start = prompt.page.rfind("\n", 0, found.start()) + 1
        end = prompt.page.find("\n", found.end())
        text = prompt.page[start : end if end >= 0 else None].strip()
    styles = {
        "exact": text,
        "upper": text.upper(),
        "curly": "“" + text.replace("'", "’").replace(" - ", " — ") + "”" if '"' in text else text.replace("'", "’"),
        "straight": text.replace("’", "'").replace("“", '"').replace("”", '"').replace("—", "-").replace("–", "-"),
        "one_line": " ".join(text.split()),
        "wrapped": text.replace(" ", "\n", 3),
        "bare": re.sub(r"[*_`]", "", text),
        "bold": f"**{text}**",
        "padded": f"  {text} \n",
    }
    return styles[agent.get("quotes", "exact")]


def faults(agent, prompt):
    """What anybody would see: something is missing, breaks off, is there twice, or was never written."""
    text = prompt.page.strip()
    found = [f"Say more about it: {wanted}" for wanted in agent.get("wants", []) if not re.search(wanted, text, re.I | re.S)]
    if PLACEHOLDER.search(text):
        found.append("Write what is only a placeholder.")
    if breaks_off(text):
        found.append("The text breaks off.")
    paragraphs = [folded(part) for part in re.split(r"\n\s*\n", text) if len(part.split()) > 3]
    if len(paragraphs) != len(set(paragraphs)):
        found.append("A paragraph is there twice.")
    for line in prompt.material.get("what was measured", "").splitlines():
        score = re.match(rf"{prompt.seat}\.(contrast|alt|labels|names|headings) ([\d.]+): (.*)", line)
        if score and float(score.group(2)) < 7:
            found.append(f"Mend {score.group(1)}: {score.group(3)}")
    return found + page_faults(prompt.draft)


def breaks_off(text):
    last = text.splitlines()[-1].strip() if text else ""
    is_prose = len(last.split()) > 3 and not re.match(r"[-*|#`>\d]", last)
    return is_prose and not re.search(r"[.!?:)\]}\"'”’»…。！？*`_|]$", last)


def page_faults(source):
    """What anybody sees of a page who looks at it: text that is too faint, a picture without a text, a skipped heading."""
    if "<" not in source:
        return []
    found = ["A picture has no text."] if re.search(r"<img(?![^>]*\balt=)[^>]*>", source) else []
    levels = [int(level) for level in re.findall(r"<h([1-6])\b", source)]
    if any(after > before + 1 for before, after in zip(levels, levels[1:])):
        found.append("A heading level is skipped.")
    for style in re.findall(r"\{([^}]*)\}|style=\"([^\"]*)\"", source):
        ink = re.search(r"(?<![-\w])color:\s*(#[0-9a-fA-F]{3,6})\b", "".join(style))
        ground = re.search(r"background(?:-color)?:\s*(#[0-9a-fA-F]{3,6})\b", "".join(style)) or re.search(
            r"body\s*\{[^}]*background(?:-color)?:\s*(#[0-9a-fA-F]{3,6})\b", source
        )
        if ink and contrast(ink.group(1), ground.group(1) if ground else "#fff") < 4.5:
            found.append("The text is too faint.")
    return found


def contrast(one, other):
    def light(colour):
        digits = colour[1:] if len(colour) == 7 else "".join(digit * 2 for digit in colour[1:])
        parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
        red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05

    lights = sorted((light(one), light(other)))
    return lights[1] / lights[0]


def review(agent, prompt, ballot):
    wrong = faults(agent, prompt)
    wrong += [line["why"] for line in ballot if line["says"] == "broken" and not is_asked_for(prompt, line)]
    issues = [{"severity": "error", "message": fault} for fault in wrong]
    issues += [{"severity": "warning", "message": remark} for remark in agent.get("warns", [])]
    said = max(prompt.page.splitlines(), key=len, default="").strip()
    summary = f"Read to the end; it says “{said}”."
    return {"verdict": "changes_requested" if wrong else "ok", "summary": summary, "issues": issues}


def marks(agent, prompt, ballot):
    wrong = faults(agent, prompt)
    wrong += [line["why"] for line in ballot if line["says"] == "broken" and not is_asked_for(prompt, line)]
    score = 5 if wrong else agent.get("score", 9)
    dims = [{"name": dim, "score": score, "note": "as it is"} for dim in agent.get("dims", ["whole"])]
    return {"score": score, "dims": dims, "must_fix": wrong}


def is_asked_for(prompt, line):
    return any(number == line["id"] and asked_for(words) for number, _, words in prompt.items)


def scores(agent, prompt):
    """`rates` has a pattern for every dimension, or the score itself."""
    anchor = json.loads(prompt.material.get("the anchor", "{}"))
    names = [dim["name"] for dim in anchor.get("dims", [])]
    rates = agent.get("rates", {})

    def rate(name):
        if is_unfit(prompt):
            return 0
        is_pattern = isinstance(rates[name], str)
        return (13 if re.search(rates[name], prompt.page, re.I) else 1) if is_pattern else rates[name]

    return [{"name": name, "score": rate(name), "rationale": "as it is"} for name in names if name in rates]
