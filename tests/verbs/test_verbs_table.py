"""A taxonomy from the user's CSV."""

from __future__ import annotations

from pathlib import Path

import pytest

from segjudge.errors import InputError
from segjudge.judge.verb import judge_id, load
from segjudge.verbs import Tier, from_csv

EGO4D_SHAPE = """\
label,group
"take_(pick,_grab,_get)","['take', 'seize', 'lift']"
lift,"['lift']"
"carry","[""carry"", ""move""]"
"move_(transfer,_pass,_exchange)","['move', 'carry']"
push,"shove, nudge"
"""


def test_groups_as_python_lists_json_lists_and_plain_words() -> None:
    verbs = from_csv(EGO4D_SHAPE, "verbs.csv", "verbs.csv")
    assert [verb.head for verb in verbs.verbs] == ["take", "lift", "carry", "move", "push"]
    assert verbs.resolve("seize") == (0, Tier.GROUP)
    assert verbs.resolve("lifting") == (1, Tier.FORM)
    assert verbs.resolve("nudge the door") == (4, Tier.GROUP)


def test_a_table_of_labels_alone_is_enough() -> None:
    verbs = from_csv("\ufeffid,label\r\n0,reach\r\n\r\n1,grasp\r\n", "own.csv", "own.csv")
    assert verbs.resolve("reaching for the cup").verb == 0


def test_every_row_at_fault_is_named() -> None:
    text = "label,group\nput_(place,_leave),['put']\nhold,\"['hold'\"\nhold,\n,\nHold,\n"
    with pytest.raises(InputError) as caught:
        from_csv(text, "verbs.csv", "verbs.csv")
    assert [(p.place, p.field) for p in caught.value.problems] == [
        ("line 2", ""),
        ("line 3", "group"),
        ("line 6", "label"),
    ]


@pytest.mark.parametrize("text", ["", "verb\nhold\n", "label,group\n"])
def test_what_is_no_taxonomy_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        from_csv(text, "verbs.csv", "verbs.csv")


def test_the_judge_is_named_after_its_verbs(tmp_path: Path) -> None:
    own = tmp_path / "own.csv"
    own.write_text("label\nreach\n", "utf-8")
    assert judge_id(load("ego4d-118")) == "ego4d-verb@118"
    assert judge_id(load("ego4d-115")) == "ego4d-verb@115"
    assert judge_id(load(str(own))) == "verb@own.csv"


def test_a_file_that_is_no_text_is_an_input_error(tmp_path: Path) -> None:
    own = tmp_path / "own.csv"
    own.write_bytes(b"label\n\xff\n")
    with pytest.raises(InputError, match="UTF-8"):
        load(str(own))
