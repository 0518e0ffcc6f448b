"""Plays one agent of a case: reads the prompt on stdin, and answers as `NAME.json` in the current folder says.

| file | noun |
|---|---|
| `play` | who is asked for what |
| `prompt` | what a prompt holds |
| `writer` | drafts, in the order in which they are written down |
| `judge` | a judge who looks: the truth, as far as the case says what it is |
| `lies` | ways to bend a judge's answer, one a function |
| `panel` | a panel in one stream |
"""

import json
import sys

import judge
import lies
import panel
import writer
from prompt import Prompt

WRITING = ("draft", "bootstrap", "joust", "polish", "summon", "plain")


def main():
    name = sys.argv[1]
    with open(f"{name}.json", encoding="utf-8") as file:
        agent = json.load(file)
    prompt = Prompt(sys.stdin.read())
    call = count(f"{name}.{prompt.seat}.calls")
    task = prompt.task
    if "says" in agent:
        answer = agent["says"][min(call, len(agent["says"])) - 1].replace("{prompt}", prompt.text)
    elif task == "perform":
        answer = panel.stream(agent["stream"])
    elif task.startswith(WRITING):
        drafted = count(f"{name}.drafts")
        answer = shape(agent, writer.answer(agent, prompt, drafted))
    elif task == "compact":
        answer = '{"resolved_decisions": []}'
    else:
        honest = judge.answer(agent, prompt)
        # With `lying` it lies in its first calls only.
        is_lying = "lies" in agent and call <= agent.get("lying", call)
        bent = lies.ALL[agent["lies"]](honest, prompt, agent, call) if is_lying else honest
        answer = bent if isinstance(bent, str) else shape(agent, bent)
    sys.stdout.write(answer)
    sys.exit(agent.get("exit", 0))


def count(file):
    """How often this was asked, this time included. Seats of one agent may be asked at once, so each has its own file."""
    with open(file, "a+", encoding="utf-8") as calls:
        calls.write(".")
        calls.seek(0)
        return len(calls.read())


def shape(agent, answer):
    """An answer as models print it: the JSON is right, what is around it is their own."""
    text = json.dumps(answer, ensure_ascii=agent.get("escaped", False))
    shapes = {
        "bare": text,
        "fenced": f"Here is my answer:\n\n```json\n{text}\n```\n\nLet me know if you need anything else!",
        "prose": f"I read it twice. {text} That is all.",
        "thought": f"<think>Perhaps {{this}}? No.</think>\n{text}",
        "indented": json.dumps(answer, indent=4, ensure_ascii=False),
        "corrected": f'First thought: {{"note": "not yet"}}.\nNow in full:\n{text}',
        "usage": f'{text}\n{{"usage": {{"input": 12, "output": 7}}}}',
        "crlf": json.dumps(answer, indent=2, ensure_ascii=False).replace("\n", "\r\n"),
        "coloured": f"\x1b[32m{text}\x1b[0m\n",
    }
    return shapes[agent.get("shape", "bare")]


if __name__ == "__main__":
    main()
