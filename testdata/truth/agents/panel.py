"""A panel in one stream. A case writes the protocol itself, with short words for what is the same in every round:

`{draft}`, `{draft: other.html}`  the designer, with the page of that file (`page.html`)
`{critic 9}`, `{critic 6: Darken it.; Say more.}`  a judge's score, and what must be fixed
`{judges 9}`  the four judges
`{end 1 ship}`  the end of a round, and what is decided
`{ship 1}`, `{ship 1: other.html}`  what is handed over
"""

import re

JUDGES = ("critic", "brand", "a11y", "copy")
MIMES = {"html": "text/html", "md": "text/markdown", "txt": "text/plain"}


def stream(text):
    text = re.sub(r"\{draft(?:: ([^}]+))?\}", lambda it: f'<PANELIST role="designer"><NOTES>Drafted.</NOTES>{artifact(it[1])}</PANELIST>', text)
    text = re.sub(r"\{judges ([^}:]+)(?:: ([^}]+))?\}", lambda it: "\n".join(judge(role, it[1], it[2]) for role in JUDGES), text)
    text = re.sub(r"\{(critic|brand|a11y|copy) ([^}:]+)(?:: ([^}]+))?\}", lambda it: judge(it[1], it[2], it[3]), text)
    text = re.sub(r"\{end (\d+) (\w+)\}", r'<ROUND_END n="\1" decision="\2"><REASON>As scored.</REASON></ROUND_END>', text)
    return re.sub(r"\{ship (\d+)(?:: ([^}]+))?\}", lambda it: f'<SHIP round="{it[1]}" status="shipped">{artifact(it[2])}<SUMMARY>Done.</SUMMARY></SHIP>', text)


def artifact(name):
    name = name or "page.html"
    with open(name, encoding="utf-8") as file:
        return f'<ARTIFACT mime="{MIMES[name.rsplit(".", 1)[1]]}"><![CDATA[{file.read()}]]></ARTIFACT>'


def judge(role, score, demands):
    demands = [demand.strip() for demand in (demands or "").split(";") if demand.strip()]
    fixes = "".join(f"<MUST_FIX>{demand}</MUST_FIX>" for demand in demands)
    return f'<PANELIST role="{role}" score="{score}" must_fix="{len(demands)}">{fixes}</PANELIST>'
