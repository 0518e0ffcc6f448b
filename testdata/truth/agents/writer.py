"""Drafts, in the order in which the case writes them down; the last one is kept."""

import os

MIMES = {"plain": "text/plain", "markdown": "text/markdown", "html": "text/html"}


def answer(agent, prompt, drafted):
    drafts = agent["drafts"]
    draft = drafts[min(drafted, len(drafts)) - 1]
    if os.path.isfile(draft):
        with open(draft, encoding="utf-8") as file:
            draft = file.read()
    form = agent.get("format", "html" if draft.lstrip().startswith("<") else "markdown")
    if prompt.loop == "review":
        done = agent.get("done", [True])
        return {"done": done[min(drafted, len(done)) - 1], "candidate": {"content": draft, "format": form}}
    if prompt.loop == "theater":
        return {"notes": "Written anew.", "artifact": {"mime": MIMES[form], "content": draft}}
    answer = {"draft": draft, "critique": agent.get("critique", "")}
    for key in ("anchor", "justifications", "summon"):
        if key in agent and (key != "anchor" or prompt.task == "bootstrap"):
            answer[key] = agent[key]
    return answer
