"""Recorded judgments: which lines count, and what they say of a pair."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segjudge.errors import InputError
from segjudge.judge.replay import Records, asker, select
from segjudge.judgments import Judgment, Verdict, pair_of

SAME, A_IN_B, B_IN_A, DIFFERENT = (
    Verdict.SAME, Verdict.A_IN_B, Verdict.B_IN_A, Verdict.DIFFERENT,
)  # fmt: skip


def line(
    verdict: Verdict = SAME, a: str = "pour", b: str = "stir", judge: str = "m", **more: object
) -> Judgment:
    return Judgment(label_a=a, label_b=b, verdict=verdict, judge=judge, **more)


PAIR = pair_of("pour", "stir")[0]


class TestRecords:
    def test_a_later_line_wins_and_the_conflict_is_kept(self):
        lines = [line(SAME), line(DIFFERENT), line(DIFFERENT), line(SAME)]
        records = Records(lines)
        assert records.model(PAIR, "subtask").verdict is SAME
        assert records.model(PAIR, "subtask").judgment is lines[3]
        seen = [(c.earlier, c.later) for c in records.conflicts]
        assert seen == [(lines[0], lines[1]), (lines[2], lines[3])]

    def test_the_same_said_the_other_way_round_is_no_conflict(self):
        records = Records([line(A_IN_B), line(B_IN_A, "stir", " pour ")])
        assert records.conflicts == []
        assert records.model(PAIR, "subtask").verdict is A_IN_B

    def test_the_direction_turned_is_a_conflict(self):
        records = Records([line(A_IN_B), line(A_IN_B, "stir", "pour")])
        assert len(records.conflicts) == 1
        assert records.model(PAIR, "subtask").verdict is B_IN_A

    @pytest.mark.parametrize(
        "other",
        [
            {"judge": "n"},
            {"prompt": "same@1"},
            {"prompt_sha256": "b" * 64},
            {"task": "hand-caption"},
            {"context": "make tea"},
        ],
    )
    def test_another_judge_prompt_task_or_context_contradicts_nobody(self, other):
        assert Records([line(SAME), line(DIFFERENT, **other)]).conflicts == []

    @pytest.mark.parametrize(
        ("recorded", "asked", "verdict"),
        [
            ({"subtask": SAME}, "subtask", SAME),
            ({"subtask": SAME}, "hand-caption", None),
            ({None: SAME}, "hand-caption", SAME),
            ({"subtask": SAME, None: DIFFERENT}, "subtask", SAME),
            ({"subtask": SAME, None: DIFFERENT}, "hand-caption", DIFFERENT),
            ({None: DIFFERENT, "subtask": SAME}, "subtask", SAME),
        ],
    )
    @pytest.mark.parametrize("judge", ["m", "human:ana"])
    def test_task(self, recorded, asked, verdict, judge):
        records = Records([line(v, judge=judge, task=task) for task, v in recorded.items()])
        found = (records.human if judge != "m" else records.model)(PAIR, asked)
        assert (found and found.verdict) == verdict

    def test_context_must_be_the_same(self):
        records = Records([line(SAME, context=" make  tea "), line(DIFFERENT)])
        assert records.model(pair_of("stir", "pour", "make tea")[0], "subtask").verdict is SAME
        assert records.model(PAIR, "subtask").verdict is DIFFERENT
        assert records.model(pair_of("stir", "pour", "clean up")[0], "subtask") is None
        assert records.contexts == 1

    def test_people_are_apart_and_among_them_too_the_later_wins(self):
        records = Records(
            [line(SAME, judge="human:ana"), line(DIFFERENT, judge="Human:bo"), line(A_IN_B)]
        )
        assert records.human(PAIR, "subtask").verdict is DIFFERENT
        assert records.model(PAIR, "subtask").verdict is A_IN_B
        assert dict(records.askers) == {("m", ""): 1}

    def test_nothing_recorded(self):
        assert Records().model(PAIR, "subtask") is None
        assert Records([line(SAME)]).human(PAIR, "subtask") is None

    @given(st.lists(st.tuples(st.sampled_from(list(Verdict)), st.booleans()), min_size=1))
    def test_the_last_of_many_wins(self, said):
        lines = [
            line(verdict.flipped if turned else verdict, *(("stir", "pour") if turned else ()))
            for verdict, turned in said
        ]
        records = Records(lines)
        assert records.model(PAIR, "subtask").verdict is said[-1][0]
        changes = sum(a[0] != b[0] for a, b in pairwise(said))
        assert len(records.conflicts) == changes


SHA = "0123456789abcdef" * 4


class TestSelect:
    lines = (
        line(judge="m", prompt="relation@1"),
        line(judge="m", prompt="relation@1"),
        line(judge="m", prompt="same@1", prompt_sha256=SHA),
        line(judge="n", prompt="relation@1"),
        line(judge="human:ana"),
    )

    def chosen(self, **options: object) -> list[int]:
        kept = select(self.lines, **options)
        return [i for i, item in enumerate(self.lines) if any(item is one for one in kept)]

    def test_more_than_one_judge_or_prompt_is_refused_with_a_list(self):
        with pytest.raises(InputError) as caught:
            select(self.lines)
        said = str(caught.value)
        assert "judge 'm', prompt 'relation@1': 2 lines" in said
        assert "judge 'm', prompt 'same@1 (0123456789ab)': 1 line" in said
        assert "judge 'n', prompt 'relation@1': 1 line" in said
        assert "human" not in said
        assert "--judge" in said
        assert "--prompt" in said
        assert "--mix" in said

    def test_a_prompt_of_one_name_and_two_texts_is_two_prompts(self):
        with pytest.raises(InputError, match="more than one judge or prompt"):
            select([line(prompt="p", prompt_sha256=SHA), line(prompt="p", prompt_sha256=SHA[::-1])])

    @pytest.mark.parametrize(
        ("options", "kept"),
        [
            ({"mix": True}, [0, 1, 2, 3, 4]),
            ({"judge": "n"}, [3, 4]),
            ({"judge": "m", "prompt": "relation@1"}, [0, 1, 4]),
            ({"prompt": "same@1"}, [2, 4]),
            ({"prompt": "same"}, [2, 4]),
            ({"prompt": SHA}, [2, 4]),
            ({"prompt": SHA[:6]}, [2, 4]),
            ({"prompt": "relation@1", "mix": True}, [0, 1, 3, 4]),
            ({"judge": "m", "mix": True}, [0, 1, 2, 4]),
            ({"judge": "human:ana"}, [4]),
        ],
    )
    def test_chosen(self, options, kept):
        assert self.chosen(**options) == kept

    @pytest.mark.parametrize("options", [{"judge": "m"}, {"prompt": "relation@1"}])
    def test_still_more_than_one(self, options):
        with pytest.raises(InputError, match="more than one judge or prompt"):
            select(self.lines, **options)

    @pytest.mark.parametrize(
        "options",
        [
            {"judge": "gpt"},
            {"judge": "M"},
            {"prompt": "relat"},
            {"prompt": SHA[:5]},
            {"judge": "n", "prompt": "same@1"},
            {"judge": "n", "run": 2},
            {"judge": "human:bo"},
        ],
    )
    def test_nobody_of_that_name_is_refused_with_a_list(self, options):
        with pytest.raises(InputError) as caught:
            select(self.lines, **options)
        assert "no judgment is of " in str(caught.value)
        assert "judge 'n', prompt 'relation@1': 1 line" in str(caught.value)

    def test_a_run(self):
        lines = [line(run=run, judge="m") for run in (2, 1, 2)] + [line(judge="m")]
        assert select(lines) == [lines[1], lines[3]]
        assert select(lines, run=2) == [lines[0], lines[2]]

    def test_people_alone_need_no_choice(self):
        people = [line(judge="human:ana"), line(judge="human:bo"), line(judge="human")]
        assert select(people) == people
        assert select(people, judge="m") == people
        assert select([]) == []

    def test_the_order_is_kept(self):
        """A later line wins, so the order is meaning."""
        assert select(self.lines, mix=True) == list(self.lines)

    def test_a_mix_is_read_as_if_it_were_one_judge_but_is_no_conflict(self):
        records = Records(select([line(SAME), line(DIFFERENT, judge="n")], mix=True))
        assert records.model(PAIR, "subtask").verdict is DIFFERENT
        assert records.conflicts == []


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, ("m", "")),
        ({"prompt": "relation@1"}, ("m", "relation@1")),
        ({"prompt_sha256": SHA}, ("m", "(0123456789ab)")),
        ({"prompt": "p", "prompt_sha256": SHA}, ("m", "p (0123456789ab)")),
    ],
)
def test_asker(more, expected):
    assert asker(line(**more)) == expected


class TestRuns:
    def line(self, **more: object) -> Judgment:
        fields = {"label_a": "a", "label_b": "b", "verdict": "same", "judge": "m", "prompt": "p@1"}
        return Judgment.model_validate(fields | more)

    def test_two_runs_are_no_conflict(self) -> None:
        lines = [self.line(), self.line(run=2, verdict="different")]
        assert Records(lines).conflicts == []
        assert len(Records([*lines, self.line(verdict="part")]).conflicts) == 1

    @pytest.mark.parametrize("run", [1.5, "2", 0, -1, True, None])
    def test_a_run_is_a_whole_number_from_1(self, run: object) -> None:
        with pytest.raises(ValueError, match="run"):
            self.line(run=run)

    def test_a_run_that_is_not_there_is_named(self) -> None:
        with pytest.raises(InputError) as caught:
            select([self.line(), self.line(run=3)], run=2)
        told = str(caught.value)
        assert "no judgment is of run 2; found:" in told
        assert "judge 'm', prompt 'p@1': 2 lines, runs 1, 3" in told

    def test_a_prompt_may_be_named_as_the_refusal_lists_it(self) -> None:
        lines = [self.line(prompt_sha256="a" * 64), self.line(prompt_sha256="b" * 64)]
        assert select(lines, prompt="p@1 (bbbbbbbbbbbb)") == lines[1:]
