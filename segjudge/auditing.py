"""A blind audit of a judge: which label pairs a person is shown, and what follows from the answers.

Two strata, mixed: pairs drawn at random, from which alone agreement is estimated, and those of the
others that weigh most in the score, since a wrong verdict there matters most. Labels are shown in
random sides, and nothing that is shown says what the judge said.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from segjudge.agreement import Agreement, agreement
from segjudge.errors import InputError, Problem, shown
from segjudge.judgments import Judgment, Pair, Verdict, pair_of

RANDOM, INFLUENCE = "random", "influence"

#: What a person says of the two labels as they are shown, in the order of the keys 1 to 4.
SAID: Mapping[str, Verdict] = {
    "same": Verdict.SAME,
    "left_in_right": Verdict.A_IN_B,
    "right_in_left": Verdict.B_IN_A,
    "different": Verdict.DIFFERENT,
}

_COLUMNS = ("item", "left", "right", "context", "task", "verdict")


class Candidate(NamedTuple):
    """A label pair that the judge decided.

    Attributes
    ----------
    judgment : Judgment
    weight : float
        How much of the score hangs on it; only the order counts.
    """

    judgment: Judgment
    weight: float


class Item(BaseModel):
    """What a person is shown, and what the judge had said of it."""

    model_config = ConfigDict(frozen=True)

    left: str
    right: str
    context: str = ""
    task: str | None = None
    stratum: Literal["random", "influence"]
    weight: float = 0.0
    judgment: Judgment = Field(description="the judge's; not to be shown before the person's")

    @property
    def pair(self) -> Pair:
        """The pair that the item is about."""
        return self.judgment.pair

    def judged(self, said: str, judge: str) -> Judgment:
        """Return a person's judgment: `said` is one of `SAID`, of the labels as shown."""
        return Judgment.model_validate(
            {
                "label_a": self.left,
                "label_b": self.right,
                "verdict": SAID[said],
                "judge": judge,
                "task": self.task,
                "context": self.context,
            }
        )

    def shown_verdict(self) -> str:
        """Return what the judge said, of the labels as shown."""
        flipped = pair_of(self.left, self.right)[1]
        verdict = self.judgment.verdict_on_pair
        verdict = verdict.flipped if flipped else verdict
        return next((name for name, each in SAID.items() if each is verdict), verdict.value)


class Stratum(BaseModel):
    """How far an audit has come in one stratum."""

    items: int
    said: int
    equal: int = Field(description="the person's verdict is the judge's")


class Outcome(BaseModel):
    """What an audit says of the judge."""

    random: Stratum
    influence: Stratum
    not_blind: int = Field(description="said anew after the judge's verdict was seen; left out")
    agreement: Agreement = Field(description="person (a) and judge (b), the random stratum alone")


def draw(
    candidates: Iterable[Candidate], size: int, *, random_share: float = 0.5, seed: int = 0
) -> list[Item]:
    """Choose what a person is shown, in random order and with random sides.

    Parameters
    ----------
    candidates : iterable of Candidate
        One a label pair.
    size : int
        Pairs to show; all of them where there are fewer.
    random_share : float
        Share of `size` that is drawn at random from all candidates, before the others are taken.
    seed : int
        Another one draws others. The order of `candidates` doesn't matter.

    Returns
    -------
    list of Item
    """
    every = sorted(candidates, key=lambda each: (each.judgment.pair, each.judgment.task or ""))
    size = min(size, len(every))
    stream = np.random.default_rng(seed)
    by_chance = stream.permutation(len(every))[: round(size * random_share)].tolist()
    heavy = sorted(set(range(len(every))) - set(by_chance), key=lambda i: -every[i].weight)
    chosen = [(i, RANDOM) for i in by_chance]
    chosen += [(i, INFLUENCE) for i in heavy[: size - len(by_chance)]]
    order, turned = stream.permutation(len(chosen)), stream.random(len(chosen)) < 0.5
    return [_item(every[chosen[n][0]], chosen[n][1], bool(turned[n])) for n in order.tolist()]


def _item(candidate: Candidate, stratum: str, turned: bool) -> Item:
    judgment = candidate.judgment
    sides = judgment.label_a, judgment.label_b
    left, right = sides[::-1] if turned else sides
    return Item(
        left=left,
        right=right,
        context=judgment.context,
        task=judgment.task,
        stratum=stratum,  # type: ignore[arg-type]
        weight=candidate.weight,
        judgment=judgment,
    )


def outcome(items: Sequence[Item], said: Mapping[int, str], seen: Iterable[int] = ()) -> Outcome:
    """Return what an audit says of the judge.

    Parameters
    ----------
    items : sequence of Item
    said : mapping of int to str
        Item -> one of `SAID`.
    seen : iterable of int
        Items said anew after the judge's verdict had been seen: they are no evidence.
    """
    seen = set(seen)
    counted: dict[str, Stratum] = {}
    for stratum in (RANDOM, INFLUENCE):
        mine = [n for n, item in enumerate(items) if item.stratum == stratum]
        done = [n for n in mine if n in said]
        equal = sum(items[n].shown_verdict() == said[n] for n in done)
        counted[stratum] = Stratum(items=len(mine), said=len(done), equal=equal)
    blind = [
        n for n, item in enumerate(items) if n in said and n not in seen and item.stratum == RANDOM
    ]
    return Outcome(
        random=counted[RANDOM],
        influence=counted[INFLUENCE],
        not_blind=len(seen & set(said)),
        agreement=agreement(
            [items[n].judged(said[n], "human") for n in blind], [items[n].judgment for n in blind]
        ),
    )


def sheet(items: Sequence[Item]) -> str:
    """Return a blind audit as a CSV to be filled in: the labels as shown, and no verdicts."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(_COLUMNS)
    for number, item in enumerate(items, 1):
        texts = map(_cell, (item.left, item.right, item.context, item.task or ""))
        table.writerow((number, *texts, ""))
    return text.getvalue()


def filled(text: str, items: Sequence[Item], file: str = "") -> dict[int, str]:
    """Read a sheet that was filled in.

    Parameters
    ----------
    text : str
        As `sheet` gives it, with verdicts: a word of `SAID`, or its number, 1 to 4. Rows may
        stand in any order, and some may still be open.
    items : sequence of Item
        What the sheet was made of.
    file : str
        What to call it in messages.

    Returns
    -------
    dict of int to str
        Item -> verdict, as `outcome` takes them.

    Raises
    ------
    InputError
        Rows aren't those of the sheet, or a verdict is none; each is named.
    """
    words = list(SAID)
    found: dict[int, str] = {}
    problems: list[Problem] = []
    rows = csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""))
    lacking = [
        name for name in ("item", "left", "right", "verdict") if name not in (rows.fieldnames or ())
    ]
    if lacking:
        raise InputError([Problem(file, "header", "", "", f"a column {name}") for name in lacking])
    for row in rows:
        place, verdict = f"line {rows.line_num}", (row["verdict"] or "").strip().lower()
        item = _numbered(row["item"], items)
        if item is None or not _holds(items[item], row["left"], row["right"]):
            expected = "an item of this audit, with its labels as they were written"
            problems.append(Problem(file, place, "item", shown(row["item"]), expected))
        elif verdict in ("1", "2", "3", "4"):
            found[item] = words[int(verdict) - 1]
        elif verdict in SAID:
            found[item] = verdict
        elif verdict:
            expected = f"1 to 4, or one of {', '.join(words)}"
            problems.append(Problem(file, place, "verdict", shown(row["verdict"]), expected))
    if problems:
        raise InputError(problems)
    return found


def _cell(text: str) -> str:
    """Return text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def _holds(item: Item, left: str, right: str) -> bool:
    """Whether a row has the labels of an item, with or without the mark that `_cell` puts."""
    return all(
        found in (text, _cell(text)) for text, found in ((item.left, left), (item.right, right))
    )


def _numbered(number: str | None, items: Sequence[Item]) -> int | None:
    """Return the index of the item that a row is about."""
    text = (number or "").strip()
    if not text.isdecimal() or not 1 <= int(text[:10]) <= len(items):
        return None
    return int(text) - 1
