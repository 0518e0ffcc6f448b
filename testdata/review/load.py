#!/usr/bin/env python3
"""Reads the files of a review the way a strict reader of another program would.

Usage: load.py WORKSPACE…

Knows nothing of Tribunal but `spec/review.md`, needs nothing but Python, and forgives nothing: unknown and missing
keys, times without an offset, ids that lead nowhere. Prints what is wrong, one problem a line, and fails if there is
anything.
"""

import hashlib
import json
import re
import sys
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID

ASSET = re.compile(r"[a-z][a-z0-9_]*")
NAME = re.compile(r"[A-Za-z0-9._-]+")
EXTENSIONS = {"markdown": "md", "plain": "txt", "html": "html"}
KINDS = (
    "description shownotes summary_short title_detail title_seo subtitle_auphonic slug cms_tags audio_tags "
    "itunes_keywords mastodon linkedin youtube_description"
).split()

class Wrong(Exception):
    pass


def need(holds, why):
    if not holds:
        raise Wrong(why)


def keys(value, expected):
    need(isinstance(value, dict), f"expected an object, found {value!r}")
    need(set(value) == set(expected.split()), f"has the keys {sorted(value)}, expected {sorted(expected.split())}")


def text(value):
    need(isinstance(value, str), f"expected a string, found {value!r}")


def text_or_null(value):
    need(value is None or isinstance(value, str), f"expected a string or null, found {value!r}")


def number(value):
    need(type(value) is int and value >= 1, f"expected a number from 1 on, found {value!r}")


def boolean(value):
    need(type(value) is bool, f"expected true or false, found {value!r}")


def uuid(value):
    text(value)
    need(str(UUID(value)) == value, f"{value} is not a UUID in its usual form")


def time(value):
    text(value)
    need(value.endswith("Z"), f"{value} is not in UTC with a Z")
    need(datetime.fromisoformat(value).utcoffset() == timedelta(0), f"{value} has no offset")


def word(value, words):
    need(value in words, f"{value!r} is none of {', '.join(words)}")


def provenance(value, prompts):
    need(isinstance(value, list), "provenance is not a list")
    for entry in value:
        keys(entry, "kind ref created_at metadata")
        need(entry["kind"] and entry["ref"], "provenance without kind or ref")
        if entry["created_at"] is not None:
            time(entry["created_at"])
        need(isinstance(entry["metadata"], dict), "metadata is not an object")
        if entry["kind"] == "prompts":
            need(entry["ref"] in prompts, f"there is no prompt {entry['ref']}")


def candidate(value, asset, prompts):
    keys(value, "candidate_id asset_id format content created_at provenance")
    uuid(value["candidate_id"])
    need(value["asset_id"] == asset, f"belongs to {value['asset_id']}")
    word(value["format"], EXTENSIONS)
    text(value["content"])
    time(value["created_at"])
    provenance(value["provenance"], prompts)


def review(value, prompts):
    keys(value, "iteration verdict issues reviewer created_at summary provenance")
    number(value["iteration"])
    word(value["verdict"], ["ok", "changes_requested", "needs_human"])
    for issue in value["issues"]:
        keys(issue, "issue_id severity message code field")
        uuid(issue["issue_id"])
        word(issue["severity"], ["error", "warning"])
        text(issue["message"])
        text_or_null(issue["code"])
        text_or_null(issue["field"])
        need(value["verdict"] != "ok" or issue["severity"] != "error", "ok beside an error")
    text_or_null(value["reviewer"])
    if value["reviewer"] is not None:
        need(NAME.fullmatch(value["reviewer"]), f"the reviewer {value['reviewer']!r} is no safe name")
    time(value["created_at"])
    text_or_null(value["summary"])
    provenance(value["provenance"], prompts)


def iteration(value, asset, prompts):
    keys(value, "version iteration creator reviewer")
    need(value["version"] == 1, "version is not 1")
    number(value["iteration"])
    keys(value["creator"], "done candidate")
    boolean(value["creator"]["done"])
    candidate(value["creator"]["candidate"], asset, prompts)
    review(value["reviewer"], prompts)
    need(value["reviewer"]["iteration"] == value["iteration"], "the review is of another iteration")


def increasing(numbers):
    need(all(a < b for a, b in zip(numbers, numbers[1:])), f"{numbers} do not increase")


def decision(value, iterations):
    keys(value, "outcome final_iteration reason locked_fields")
    word(value["outcome"], ["converged", "needs_human", "in_progress"])
    text_or_null(value["reason"])
    locked = value["locked_fields"]
    need(locked == sorted(set(locked)), "locked_fields are not sorted")
    for field in locked:
        word(field, ["outcome", "final_iteration", "reason"])
    if value["final_iteration"] is not None:
        number(value["final_iteration"])
    if value["outcome"] != "in_progress":
        need("outcome" in locked, "a terminal decision is not locked")
        need(value["final_iteration"] in [each["iteration"] for each in iterations], "the final iteration is missing")


def protocol_state(value, asset, prompts):
    keys(value, "version asset_id max_iterations decision iterations")
    need(value["version"] == 1 and value["asset_id"] == asset, "version or asset are wrong")
    number(value["max_iterations"])
    for each in value["iterations"]:
        iteration(each, asset, prompts)
    increasing([each["iteration"] for each in value["iterations"]])
    if value["decision"] is not None:
        decision(value["decision"], value["iterations"])


def workspace_state(value, prompts):
    keys(value, "schema_version episode_id root_dir assets chapters tracks created_at provenance")
    need(value["schema_version"] == 1, "schema_version is not 1")
    need(value["episode_id"] and value["root_dir"], "episode_id or root_dir are empty")
    time(value["created_at"])
    provenance(value["provenance"], prompts)
    names = [asset["asset_id"] for asset in value["assets"]]
    need(len(set(names)) == len(names), "an asset is there twice")
    for asset in value["assets"]:
        keys(asset, "asset_id kind candidates reviews selected_candidate_id")
        name = asset["asset_id"]
        need(ASSET.fullmatch(name), f"{name!r} is no name of an asset")
        need(asset["kind"] == (name if name in KINDS else None), f"{name} has the kind {asset['kind']}")
        for each in asset["candidates"]:
            candidate(each, name, prompts)
        ids = [each["candidate_id"] for each in asset["candidates"]]
        need(len(set(ids)) == len(ids), f"{name}: a candidate is there twice")
        for each in asset["reviews"]:
            review(each, prompts)
        increasing([each["iteration"] for each in asset["reviews"]])
        selected = asset["selected_candidate_id"]
        need(selected is None or selected in ids, f"{name}: the selected candidate {selected} does not exist")


def load(path):
    raw = path.read_bytes()
    value = json.loads(raw)
    need(raw == (json.dumps(value, indent=2, sort_keys=True) + "\n").encode("ascii"), "is not in the usual form")
    return value


def with_newline(content):
    return content if content.endswith("\n") else content + "\n"


def check_prompt(path, value):
    keys(value, "prompt_id template prompt sha256 created_at seat iteration attempt agent model run_id")
    digest = hashlib.sha256(value["prompt"].encode()).hexdigest()
    need(value["sha256"] == digest, "sha256 is not that of the prompt")
    need(value["prompt_id"] == f"{value['template']}_{digest[:12]}" == path.stem, "prompt_id, template and file differ")
    time(value["created_at"])
    text(value["seat"])
    number(value["iteration"])
    number(value["attempt"])
    text(value["agent"])
    text_or_null(value["model"])
    uuid(value["run_id"])


def check_candidate(path, value, asset, prompts):
    candidate(value, asset, prompts)
    need(path.name == f"candidate_{value['candidate_id']}.json", "the name of the file is not its id")
    source = path.with_suffix("." + EXTENSIONS[value["format"]])
    need(source.read_bytes() == with_newline(value["content"]).encode(), f"{source.name} has another content")
    if value["format"] == "markdown":
        need(path.with_suffix(".html").read_bytes().endswith(b"\n"), "the HTML has no final newline")


def check_review(path, value, prompts):
    review(value, prompts)
    suffix = "" if value["reviewer"] is None else f".{value['reviewer']}"
    need(path.name == f"iteration_{value['iteration']:02d}{suffix}.json", "the file has the wrong name")


def check_creator(path, value, asset, root):
    keys(value, "version iteration asset_id applied done candidate_id")
    need(value["version"] == 1 and value["asset_id"] == asset, "version or asset are wrong")
    number(value["iteration"])
    need(path.name == f"iteration_{value['iteration']:02d}.creator.json", "the file has the wrong name")
    boolean(value["applied"])
    boolean(value["done"])
    uuid(value["candidate_id"])
    need((root / f"copy/candidates/{asset}/candidate_{value['candidate_id']}.json").exists(), "no such candidate")


def check_iteration(path, value, asset, prompts, root):
    iteration(value, asset, prompts)
    need(path.name == f"iteration_{value['iteration']:02d}.json", "the file has the wrong name")
    own = value["creator"]["candidate"]
    need(load(root / f"copy/candidates/{asset}/candidate_{own['candidate_id']}.json") == own, "another candidate")
    reviews = [load(each) for each in (root / f"copy/reviews/{asset}").glob(f"{path.stem}.*json")]
    need(value["reviewer"] in reviews, "another review")


def check_protocol_state(path, value, asset, prompts, root):
    protocol_state(value, asset, prompts)
    for each in value["iterations"]:
        need(load(path.parent / f"iteration_{each['iteration']:02d}.json") == each, "an iteration is another one")
    if value["decision"] and value["decision"]["outcome"] == "converged":
        last = value["iterations"][-1]["creator"]["candidate"]
        selected = root / f"copy/selected/{asset}.{EXTENSIONS[last['format']]}"
        need(selected.read_bytes() == with_newline(last["content"]).encode(), "another text is selected")


def check(path, root, prompts):
    parts = path.relative_to(root).parts
    if parts == ("state.json",):
        workspace_state(load(path), prompts)
        return
    need(parts[0] == "copy" and all(NAME.fullmatch(part) for part in parts), "is not a file of a review")
    if parts[1] == "selected":
        need(len(parts) == 3 and path.suffix in (".md", ".txt", ".html"), "cannot be selected")
        need(path.read_bytes().endswith(b"\n"), "has no final newline")
    elif parts[1:3] == ("provenance", "prompts"):
        check_prompt(path, load(path))
    elif parts[1] == "candidates" and path.suffix != ".json":
        need(path.with_suffix(".json").exists(), "belongs to no candidate")
    elif parts[1] == "candidates":
        check_candidate(path, load(path), parts[2], prompts)
    elif parts[1] == "reviews":
        check_review(path, load(path), prompts)
    elif parts[1] == "protocol" and parts[3] == "state.json":
        check_protocol_state(path, load(path), parts[2], prompts, root)
    elif parts[1] == "protocol" and path.name.endswith(".creator.json"):
        check_creator(path, load(path), parts[2], root)
    elif parts[1] == "protocol":
        check_iteration(path, load(path), parts[2], prompts, root)
    else:
        raise Wrong("is not a file of a review")


def check_all(root):
    files = sorted(path for path in root.rglob("*") if path.is_file() and ".tribunal" not in path.parts)
    prompts = {path.stem for path in (root / "copy/provenance/prompts").glob("*.json")}
    problems = [] if files else ["there are no files"]
    for path in files:
        try:
            check(path, root, prompts)
        except (Wrong, ValueError, KeyError, TypeError, AttributeError, OSError) as error:
            problems.append(f"{path.relative_to(root)}: {error}")
    for line in problems or [f"{len(files)} files are fine"]:
        print(f"{root}: {line}")
    return not problems


def main():
    results = [check_all(Path(root)) for root in sys.argv[1:]]
    sys.exit(not (results and all(results)))


main()
