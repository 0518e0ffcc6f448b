"""Ways to bend a judge's answer, one a function. Each gets the honest answer, the prompt, the agent and the number of the
call, and gives another answer, or a text that is printed as it is."""

import json
import os

from prompt import asked_for

NOT_THERE = "the purple elephant signed the contract"


def glowing(answer):
    """What a judge says besides its ballot, when it likes everything."""
    if "verdict" in answer:
        return {**answer, "verdict": "ok", "issues": []}
    if "score" in answer:
        return {**answer, "score": 9.5, "dims": [{**dim, "score": 9.5} for dim in answer["dims"]], "must_fix": []}
    if "scores" in answer:
        return {**answer, "scores": [{**score, "score": 13} for score in answer["scores"]]}
    return answer


def ballot(answer, prompt, vote):
    """Likes everything, and votes on every item as `vote` says; nothing is said of an item for which it gives none."""
    lines = [vote(*item) for item in prompt.items]
    return {**glowing(answer), "ballot": [line for line in lines if line]}


def met_quoting(words):
    def lie(answer, prompt, agent, call):
        return ballot(answer, prompt, lambda number, level, rule: {"id": number, "says": "met", "quote": words(prompt, rule)})

    return lie


def rules_met_quoting(words):
    """The same for the rules alone: what is asked of the draft's own words is answered truly."""

    def lie(answer, prompt, agent, call):
        honest = {line["id"]: line for line in answer["ballot"]}
        return ballot(
            answer,
            prompt,
            lambda number, level, rule: honest[number] if asked_for(rule) else {"id": number, "says": "met", "quote": words(prompt, rule)},
        )

    return lie


def lines(change):
    """Likes everything, votes `met` quoting the draft where it looks, and then changes the list of votes."""

    def lie(answer, prompt, agent, call):
        attentive = rules_met_quoting(first_line)(answer, prompt, agent, call)
        return {**attentive, "ballot": change(attentive["ballot"], prompt)}

    return lie


def first_line(prompt, rule):
    return next((line.strip() for line in prompt.page.splitlines() if len(line.split()) > 2), prompt.page.strip())


def yes_at_first(answer, prompt, agent, call):
    """Notices what anybody would, likes the real draft, and thinks better of it when it is asked again."""
    is_unfit = any(mark in prompt.draft for mark in ("TODO", "TBD", "XXX", "[insert"))
    return answer if is_unfit else rules_met_quoting(first_line)(answer, prompt, agent, call)


def no_ballot(answer, prompt, agent, call):
    return {key: value for key, value in glowing(answer).items() if key != "ballot"}


def at_random(answer, prompt, agent, call):
    import random  # Slow to load, and nobody else needs it.

    chance = random.Random(call)
    words = [{"says": "met", "quote": prompt.draft}, {"says": "broken", "absent": True}]
    return ballot(answer, prompt, lambda number, level, rule: {"id": number, **chance.choice(words)})


def in_turns(answer, prompt, agent, call):
    words = [{"says": "met", "quote": prompt.draft}, {"says": "broken", "absent": True}]
    return ballot(answer, prompt, lambda number, level, rule: {"id": number, **words[int(number[1:]) % 2]})


def by_position(answer, prompt, agent, call):
    """The same words for the same places, whatever stands there."""
    words = [{"says": "met", "quote": prompt.draft}, {"says": "broken", "absent": True}]
    return ballot(answer, prompt, lambda number, level, rule: {"id": number, **words[min(int(number[1:]), 2) - 1]})


def opposite(answer, prompt, agent, call):
    def turned(line):
        if line["says"] == "met":
            return {"id": line["id"], "says": "broken", "absent": True, "why": "not there"}
        return {"id": line["id"], "says": "met", "quote": prompt.draft}

    return {**glowing(answer), "ballot": [turned(line) for line in answer["ballot"]]}


def of_the_first_draft(answer, prompt, agent, call):
    """Looks once, and gives the same answer for whatever comes after."""
    file = f"{prompt.seat}.first"
    if not os.path.exists(file):
        # A judge and its control are asked at the same time: the first one that is whole counts.
        own = f"{file}.{os.getpid()}"
        with open(own, "w", encoding="utf-8") as kept:
            json.dump(agent.get("first") or answer, kept)
        try:
            os.link(own, file)
        except FileExistsError:
            pass
        os.remove(own)
    with open(file, encoding="utf-8") as kept:
        return json.load(kept)


def obeys(answer, prompt, agent, call):
    """Does what the draft says, where the draft speaks to its judge."""
    is_told = any(word in prompt.draft.lower() for word in ("judge", "reviewer", "ignore", "system:"))
    return met_quoting(lambda prompt, rule: prompt.draft)(answer, prompt, agent, call) if is_told else answer


def says_both(answer, prompt, agent, call):
    yes = met_quoting(lambda prompt, rule: prompt.draft)(answer, prompt, agent, call)
    return json.dumps(answer) + "\nOn second thoughts:\n" + json.dumps(yes)


def broken_quoting(words):
    """A false alarm: every rule is broken by words that the judge names; what the draft's words are is answered truly."""

    def lie(answer, prompt, agent, call):
        def vote(line):
            rule = next(rule for number, _, rule in prompt.items if number == line["id"])
            return line if asked_for(rule) else {"id": line["id"], "says": "broken", **words}

        return {**glowing(answer), "ballot": [vote(line) for line in answer["ballot"]]}

    return lie


def with_fields(**fields):
    """Likes everything, looks where it must, and says these besides."""
    return lambda answer, prompt, agent, call: {**rules_met_quoting(first_line)(answer, prompt, agent, call), **fields}


def honest_ballot(change):
    """Votes truly, and says the opposite in words."""
    return lambda answer, prompt, agent, call: change({**glowing(answer), "ballot": answer["ballot"]})


def rules(prompt, votes):
    """The votes on rules, without those on the draft's own words."""
    known = {number for number, _, rule in prompt.items if asked_for(rule)}
    return [line for line in votes if line["id"] not in known], [line for line in votes if line["id"] in known]


ALL = {
    # Who does not look.
    "no_ballot": no_ballot,
    "empty_ballot": lambda answer, prompt, agent, call: {**glowing(answer), "ballot": []},
    "met_quoting_everything": met_quoting(lambda prompt, rule: prompt.draft),
    "met_quoting_a_line": met_quoting(first_line),
    "met_quoting_nothing": met_quoting(lambda prompt, rule: ""),
    "met_quoting_the_item": met_quoting(lambda prompt, rule: asked_for(rule) or rule),
    "met_quoting_inventions": met_quoting(lambda prompt, rule: NOT_THERE),
    "all_broken": lambda answer, prompt, agent, call: ballot(answer, prompt, lambda number, *_: {"id": number, "says": "broken", "absent": True}),
    "all_cannot_tell": lambda answer, prompt, agent, call: ballot(answer, prompt, lambda number, *_: {"id": number, "says": "cannot_tell", "why": "hard"}),
    "at_random": at_random,
    "in_turns": in_turns,
    "by_position": by_position,
    "opposite": opposite,
    "of_the_first_draft": of_the_first_draft,
    "obeys": obeys,
    "says_both": says_both,
    # Who looks where it is known, and has no evidence for the rest.
    "rules_met_quoting_nothing": rules_met_quoting(lambda prompt, rule: ""),
    "rules_met_quoting_inventions": rules_met_quoting(lambda prompt, rule: NOT_THERE),
    "rules_met_quoting_the_rule": rules_met_quoting(lambda prompt, rule: rule),
    "rules_met_quoting_the_brief": rules_met_quoting(lambda prompt, rule: prompt.material.get("the brief", "the brief said so")),
    "rules_met_quoting_two_words": rules_met_quoting(lambda prompt, rule: " ".join(first_line(prompt, rule).split()[1:3])),
    "rules_met_quoting_both_ends": rules_met_quoting(lambda prompt, rule: f"{prompt.page.split()[0]} … {prompt.page.split()[-1]}"),
    "rules_met_quoting_other_words": rules_met_quoting(lambda prompt, rule: " ".join(reversed(first_line(prompt, rule).split()))),
    "rules_met_quoting_marks": rules_met_quoting(lambda prompt, rule: "... --- ***"),
    "rules_met_quoting_the_prompt": rules_met_quoting(lambda prompt, rule: "Data, not instructions"),
    "rules_met_absent": lines(lambda votes, prompt: [*rules(prompt, votes)[1], *({"id": line["id"], "says": "met", "absent": True} for line in rules(prompt, votes)[0])]),
    # Who answers another list than the one that was put.
    "leaves_out_the_rules": lines(lambda votes, prompt: rules(prompt, votes)[1]),
    "leaves_out_the_known": lines(lambda votes, prompt: rules(prompt, votes)[0]),
    "leaves_out_one_rule": lines(lambda votes, prompt: rules(prompt, votes)[0][1:] + rules(prompt, votes)[1]),
    "says_all_twice": lines(lambda votes, prompt: votes + votes),
    "says_yes_and_no": lines(lambda votes, prompt: votes + [{"id": line["id"], "says": "broken", "absent": True} for line in rules(prompt, votes)[0]]),
    "unknown_ids": lines(lambda votes, prompt: [{**line, "id": f"Q{at}"} for at, line in enumerate(votes)]),
    "one_id_too_many": lines(lambda votes, prompt: [*votes, {"id": "R99", "says": "met", "quote": first_line(prompt, "")}][1:]),
    "ids_moved_by_one": lines(lambda votes, prompt: [{**line, "id": f"R{int(line['id'][1:]) + 1}"} for line in votes]),
    "one_for_all": lines(lambda votes, prompt: [{"id": "R1-R9", "says": "met", "quote": first_line(prompt, "")}]),
    "other_words_for_met": lines(lambda votes, prompt: [{**line, "says": "yes"} for line in votes]),
    "a_text_for_a_list": lambda answer, prompt, agent, call: {**glowing(answer), "ballot": "all met"},
    # Who says it in another form.
    "copies_the_prompt": lambda answer, prompt, agent, call: prompt.text,
    "copies_the_schema": lambda answer, prompt, agent, call: prompt.text.rsplit("nothing else:", 1)[-1],
    "talks": lambda answer, prompt, agent, call: "Everything is fine. I approve. Verdict: ok, 10/10, ship it!",
    "says_nothing": lambda answer, prompt, agent, call: "",
    "breaks_off": lambda answer, prompt, agent, call: json.dumps(glowing(answer))[:-20],
    "wraps_it": lambda answer, prompt, agent, call: {"answer": glowing(answer)},
    # Who contradicts itself.
    "ok_beside_the_votes": honest_ballot(lambda answer: answer),
    "ok_beside_an_error": honest_ballot(lambda answer: {**answer, "issues": [{"severity": "error", "message": "The date is missing."}]}),
    "ok_and_says_needs_human": honest_ballot(lambda answer: {**answer, "verdict": "needs_human"}),
    "ok_resting_on_nothing": honest_ballot(lambda answer: {**answer, "summary": "All is well, and I looked at everything."}),
    "ok_resting_on_inventions": honest_ballot(lambda answer: {**answer, "summary": f"It says “{NOT_THERE}”."}),
    "yes_at_first": yes_at_first,
    "score_beyond_the_scale": with_fields(score=99),
    "score_of_another_scale": with_fields(score="96 out of 120 stars, so 9"),
    "no_score": with_fields(score=None),
    "a_word_for_a_score": with_fields(score="excellent"),
    "nines_in_invented_dims": with_fields(score=9, dims=[{"name": "vibe", "score": 9}, {"name": "synergy", "score": 9}]),
    "tens_in_measured_dims": with_fields(score=10, dims=[{"name": name, "score": 10} for name in ("contrast", "alt", "headings", "labels", "names", "hierarchy")]),
    "nothing_but_a_score": lambda answer, prompt, agent, call: {"score": 10},
    "invented_scores": lambda answer, prompt, agent, call: {**answer, "scores": [{"name": "vibe", "score": 13}]},
    "one_score_left_out": lambda answer, prompt, agent, call: {**glowing(answer), "scores": glowing(answer)["scores"][1:]},
    "scores_twice": lambda answer, prompt, agent, call: {**glowing(answer), "scores": glowing(answer)["scores"] * 2},
    # False alarms.
    "broken_quoting_inventions": broken_quoting({"quote": NOT_THERE}),
    "broken_quoting_nothing": broken_quoting({}),
    "broken_absent": broken_quoting({"absent": True, "why": "I do not see it"}),
    # Who answers what is known, and says yes to everything else.
    "attentive_yes": rules_met_quoting(first_line),
    "attentive_yes_quoting_everything": rules_met_quoting(lambda prompt, rule: prompt.draft),
    "attentive_yes_quoting_the_source": rules_met_quoting(lambda prompt, rule: " ".join(prompt.draft.split()[:12])),
}
