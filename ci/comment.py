#!/usr/bin/env python3
"""Posts a comment of Tribunal on a pull request of GitHub or a merge request of GitLab, or replaces the last one.

    comment.py FILE [NAME]

FILE is what `--comment-file` wrote: its first line is a marker, by which the comment is found again. With NAME the marker
is that of the name, so that several jobs have a comment each. Outside of a pull request there is nothing to do.
Needs nothing but Python 3.
"""

import json
import os
import re
import sys
import urllib.error
import urllib.parse
import urllib.request

PER_PAGE = 100
# So many pages of comments are looked through; a discussion that is longer gets a second comment of ours.
MAX_PAGES = 30
TIMEOUT = 30


class Host:
    """Where comments are: how they are listed, made and changed."""

    def __init__(self, comments, change, method, headers):
        self.comments, self.change, self.method, self.headers = comments, change, method, headers

    def ask(self, method, url, body=None):
        data = None if body is None else json.dumps({"body": body}).encode()
        headers = {**self.headers, "Content-Type": "application/json"}
        request = urllib.request.Request(url, data=data, method=method, headers=headers)
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
            return json.loads(answer.read() or b"null")

    def find(self, marker):
        for page in range(1, MAX_PAGES + 1):
            comments = self.ask("GET", f"{self.comments}?per_page={PER_PAGE}&page={page}")
            for comment in comments:
                # Somebody who quotes us wrote something else before it.
                if (comment.get("body") or "").startswith(marker):
                    return comment["id"]
            if len(comments) < PER_PAGE:
                return None
        return None

    def put(self, marker, body):
        known = self.find(marker)
        if known is None:
            self.ask("POST", self.comments, body)
            return "posted"
        self.ask(self.method, self.change.format(known), body)
        return "updated"


def github(environment):
    """The pull request that a workflow of GitHub runs for."""
    try:
        with open(environment["GITHUB_EVENT_PATH"], encoding="utf-8") as file:
            number = json.load(file)["pull_request"]["number"]
    except (KeyError, TypeError, OSError):
        return None, "this is no pull request"
    token = environment.get("GITHUB_TOKEN")
    if not token:
        return None, "there is no token"
    api = environment.get("GITHUB_API_URL", "https://api.github.com")
    issues = f"{api}/repos/{environment['GITHUB_REPOSITORY']}/issues"
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json"}
    return Host(f"{issues}/{number}/comments", issues + "/comments/{}", "PATCH", headers), None


def gitlab(environment):
    """The merge request that a pipeline of GitLab runs for."""
    number = environment.get("CI_MERGE_REQUEST_IID")
    if not number:
        return None, "this is no merge request"
    token = environment.get("TRIBUNAL_GITLAB_TOKEN")
    if not token:
        return None, "TRIBUNAL_GITLAB_TOKEN is not set: a project access token with the scope `api`"
    project = urllib.parse.quote(environment["CI_PROJECT_ID"], safe="")
    notes = f"{environment['CI_API_V4_URL']}/projects/{project}/merge_requests/{number}/notes"
    return Host(notes, notes + "/{}", "PUT", {"PRIVATE-TOKEN": token}), None


def main(words, environment):
    if not 1 <= len(words) <= 2:
        print(__doc__, file=sys.stderr)
        return 2
    with open(words[0], encoding="utf-8") as file:
        marker, _, text = file.read().partition("\n")
    if not re.fullmatch(r"<!-- tribunal [a-z]+ -->", marker):
        print(f"error: {words[0]} was not written by `tribunal --comment-file`", file=sys.stderr)
        return 2
    if words[1:] and words[1]:
        name = re.sub(r"[^\w .-]|--+", "_", words[1])
        marker = marker.replace(" -->", f": {name} -->")
    host, why = (gitlab if "GITLAB_CI" in environment else github)(environment)
    if host is None:
        print(f"no comment: {why}")
        return 0
    try:
        print(f"comment {host.put(marker, marker + chr(10) + text)}")
    except urllib.error.HTTPError as error:
        # Pull requests from forks have a token that may only read.
        hint = " (the job needs `permissions: pull-requests: write`)" if error.code in (401, 403) else ""
        print(f"warning: no comment: {error.code} {error.reason}{hint}", file=sys.stderr)
        return 1
    except (OSError, ValueError, KeyError) as error:
        print(f"warning: no comment: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
