"""The store: what goes in comes out, whole, also after a crash and beside another process."""

import asyncio
import json
import os
import random
import sqlite3
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from segjudge.cache import (
    Answer,
    AnswerKey,
    Counts,
    FailedAttempt,
    Store,
    default_store_path,
    read_judgments,
    write_judgments,
)
from segjudge.errors import InputError
from segjudge.judgments import Judgment, Pair, Verdict


def made(number=0, verdict="same", **key):
    key = {"judge": "m", "prompt_sha256": "ab" * 32, "params": {}, "task": "subtask", **key}
    key = AnswerKey(**{"pair": Pair(f"a {number}", f"b {number}"), **key})
    answer = Answer.of(
        key,
        verdict=verdict,
        reason="“naïve” 理由",
        prompt="relation@1",
        label_a=f"A  {number}",
        label_b=f"B {number}",
        judged_on="2026-11-30T21:00:00Z",
    )
    return key.digest(), answer


def failed(digest, reason):
    return FailedAttempt(digest=digest, reason=reason, detail="said: <html>", when="now")


def test_what_is_put_is_found_by_digest(tmp_path):
    answers = [made(number) for number in range(1_201)]
    with Store(tmp_path / "store") as store:
        store.put(answers)
        asked = [digest for digest, _ in answers[::-1]]
        assert store.get([*asked, "0" * 64]) == dict(answers)
        assert store.get([]) == {}
        assert len(store) == 1_201
    with Store(tmp_path / "store") as store:
        assert store.get(asked) == dict(answers)


def test_an_answer_asked_for_anew_replaces_the_old_one(tmp_path):
    with Store(tmp_path) as store:
        digest, old = made(verdict="undecided")
        store.put([(digest, old)])
        store.put([made(verdict="same")])
        assert store.get([digest])[digest].verdict is Verdict.SAME
        assert len(store) == 1


def test_an_answer_under_the_key_of_another_is_not_taken(tmp_path):
    with Store(tmp_path) as store:
        with pytest.raises(ValueError, match="not the digest"):
            store.put([made(1), (made(2)[0], made(3)[1])])
        assert len(store) == 0


def test_a_batch_is_kept_whole_or_not_at_all(tmp_path):
    answers = [made(number) for number in range(5)]
    full = f"""CREATE TRIGGER full BEFORE INSERT ON Cache WHEN NEW.key = 'answer/{answers[3][0]}'
        BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"""
    with Store(tmp_path) as store, sqlite3.connect(tmp_path / "cache.db") as plain:
        plain.execute(full)
        with pytest.raises(InputError, match="make room and start again"):
            store.put(answers)
        assert len(store) == 0
        plain.execute("DROP TRIGGER full")
        store.put(answers)
        assert len(store) == 5


def test_failures_are_kept_apart(tmp_path):
    with Store(tmp_path) as store:
        digest, _ = made()
        store.fail([failed(digest, "timeout"), failed("0" * 64, "refused")])
        store.fail([failed(digest, "unparsed")])
        store.fail([failed(digest, "unparsed")])
        assert store.get([digest]) == {}
        assert [*store.judgments()] == []
        assert len(store) == 0
        seen = [each.reason for each in store.failures() if each.digest == digest]
        assert seen == ["timeout", "unparsed", "unparsed"]
        assert store.counts() == Counts(0, 0, 4)


def test_judgments_are_derived_one_a_question_and_run(tmp_path):
    votes = [("a_in_b", 0), ("different", 1), ("a_in_b", 2)]
    with Store(tmp_path) as store:
        store.put([made(1, verdict, sample=sample) for verdict, sample in votes])
        store.put([made(1, "different", run=2)])
        store.put([made(2, "same"), made(2, "different", order=1)])
        store.put([made(1, "b_in_a", params={"seed": 1}), made(1, "same", pairs_per_call=5)])
        found = [*store.judgments()]
        runs = [each for each in found if each.pair.a == "A 1" and each.votes != ["b_in_a"]]
    assert len(found) == 5
    assert {(each.pair.a, *each.votes) for each in found} == {
        ("A 1", "a_in_b", "different", "a_in_b"),
        ("A 1", "different"),
        ("A 2", "same", "different"),
        ("A 1", "b_in_a"),
        ("A 1", "same"),
    }
    # For replay a later line wins, so a later run must come later.
    order = [tuple(each.votes) for each in runs]
    assert order.index(("a_in_b", "different", "a_in_b")) < order.index(("different",))


def test_more_rows_than_a_page_are_all_seen_once(tmp_path):
    # Three votes a question: groups lie across the ends of pages.
    with Store(tmp_path) as store:
        store.put([made(n, sample=sample) for n in range(1_500) for sample in range(3)])
        found = [*store.judgments()]
        assert len({each.pair for each in found}) == len(found) == 1_500
        assert all(len(each.votes) == 3 for each in found)
        assert len([*store.answers()]) == 4_500


def test_imported_judgments_come_out_as_they_went_in(tmp_path):
    lines = [
        Judgment(label_a="A", label_b="b", verdict="same", judge="human:ann", note={"x": [1]}),
        Judgment(label_a="A", label_b="b", verdict="different", judge="human:ann"),
    ]
    lines += [Judgment(label_a=str(n), label_b="x", verdict="same", judge="j") for n in range(50)]
    with Store(tmp_path / "store") as store:
        assert store.import_judgments(lines) == 52
        assert store.import_judgments(lines[:3]) == 0
        # The order stays, since of two lines on one pair the later wins.
        assert [*store.judgments()] == lines
        assert len(store) == 0


def test_a_store_exported_and_imported_again_says_everything_once(tmp_path):
    with Store(tmp_path / "store") as store:
        store.put([made(1), made(2, "b_in_a")])
        exported = [*store.judgments()]
        write_judgments(exported, tmp_path / "out.jsonl.gz")
        store.import_judgments(read_judgments(tmp_path / "out.jsonl.gz"))
        assert [*store.judgments()] == exported
    with Store(tmp_path / "other") as other:
        other.import_judgments(read_judgments(tmp_path / "out.jsonl.gz"))
        assert sorted(other.judgments(), key=str) == sorted(exported, key=str)


def test_merging_takes_over_what_is_missing_and_keeps_its_own(tmp_path):
    with Store(tmp_path / "mine") as mine, Store(tmp_path / "theirs") as theirs:
        shared, _ = made(1)
        mine.put([made(1, "same")])
        theirs.put([made(1, "different"), made(2, "a_in_b"), made(2, "a_in_b", sample=1)])
        theirs.fail([failed(shared, "timeout")])
        theirs.import_judgments([Judgment(label_a="a", label_b="b", verdict="same", judge="j")])
        assert mine.merge(theirs) == Counts(answers=2, judgments=1, failures=1)
        assert mine.merge(theirs) == Counts(0, 0, 0)
        assert mine.get([shared])[shared].verdict is Verdict.SAME
        assert [each.votes for each in mine.judgments() if each.pair.a == "A 2"] == [
            ["a_in_b", "a_in_b"]
        ]
        assert theirs.counts() == Counts(3, 1, 1)


def test_a_store_is_one_file_that_only_its_owner_reads(tmp_path):
    path = tmp_path / "new" / "store"
    with Store(path) as store:
        digest, answer = made()
        store.put([(digest, answer.model_copy(update={"note": "x" * 100_000}))])
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o700
    assert [each.name for each in path.iterdir()] == ["cache.db"]
    with sqlite3.connect(path / "cache.db") as plain:
        ((value,),) = plain.execute("SELECT value FROM Cache WHERE key = ?", [f"answer/{digest}"])
    assert json.loads(value)["reason"] == "“naïve” 理由"


def test_nothing_is_ever_evicted(tmp_path):
    with Store(tmp_path) as store:
        settings = dict(sqlite3.connect(tmp_path / "cache.db").execute("SELECT * FROM Settings"))
        assert settings["eviction_policy"] == "none"
        assert settings["cull_limit"] == 0
        assert settings["size_limit"] == 2**62
        store.put([made(n) for n in range(100)])
        store._cache.reset("size_limit", 1)
        store._cache.cull()
        assert len(store) == 100


def test_many_threads_may_use_one_store(tmp_path):
    async def fill(store):
        await asyncio.gather(
            *(asyncio.to_thread(store.put, [made(n), made(n, sample=1)]) for n in range(40)),
            *(asyncio.to_thread(store.get, [made(n)[0]]) for n in range(40)),
        )

    with Store(tmp_path) as store:
        asyncio.run(fill(store))
        assert len(store) == 80
    # All connections are closed: nothing is left in a log beside the database.
    assert [each.name for each in tmp_path.iterdir()] == ["cache.db"]


def test_a_closed_store_says_so(tmp_path):
    store = Store(tmp_path)
    store.close()
    store.close()
    with pytest.raises(InputError, match="closed"):
        store.put([made()])
    with pytest.raises(InputError, match="closed"):
        store.get(["0" * 64])


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {"XDG_DATA_HOME": "{home}/data"}, "{home}/data/segjudge"),
        ("linux", {"XDG_DATA_HOME": "relative"}, "{home}/.local/share/segjudge"),
        ("linux", {}, "{home}/.local/share/segjudge"),
        ("darwin", {"XDG_DATA_HOME": "{home}/data"}, "{home}/Library/Application Support/segjudge"),
        ("win32", {"LOCALAPPDATA": "{home}/Local"}, "{home}/Local/segjudge"),
        ("linux", {"SEGJUDGE_STORE": "~/answers", "XDG_DATA_HOME": "/x"}, "{home}/answers"),
    ],
)
def test_the_default_place_follows_the_platform(
    monkeypatch, tmp_path, platform, variables, expected
):
    monkeypatch.setattr(sys, "platform", platform)
    for name in ("SEGJUDGE_STORE", "XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name, value in variables.items():
        monkeypatch.setenv(name, value.format(home=tmp_path))
    assert default_store_path() == Path(expected.format(home=tmp_path))


WRITER = """
import sys
from tests_made import made
from segjudge.cache import Store
first, batches = int(sys.argv[2]), int(sys.argv[3])
with Store(sys.argv[1]) as store:
    for batch in range(batches):
        numbers = range(first + batch * 5, first + batch * 5 + 5)
        # Five of its own, and one that every writer writes.
        store.put([*map(made, numbers), made(-batch - 1)])
        print(first + batch * 5 + 4, flush=True)
"""


@pytest.fixture
def writer(tmp_path):
    """Start processes that write answers and print the last number that is on disk."""
    source = Path(__file__).read_text(encoding="utf-8")
    begin, end = source.index("def made("), source.index("def failed(")
    imports = (
        "from segjudge.cache import Answer, AnswerKey\nfrom segjudge.judgments import Pair\n\n\n"
    )
    (tmp_path / "tests_made.py").write_text(imports + source[begin:end], encoding="utf-8")
    running = []

    def start(store, first, batches):
        path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
        process = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(store), str(first), str(batches)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": path},
        )
        running.append(process)
        return process

    yield start
    for process in running:
        process.kill()
        process.communicate()


def test_two_processes_on_one_new_store_lose_nothing(tmp_path, writer):
    path = tmp_path / "store"
    processes = [writer(path, first, 100) for first in (0, 10_000)]
    errors = [process.communicate(timeout=120)[1] for process in processes]
    assert errors == ["", ""]
    with Store(path) as store:
        expected = [*range(500), *range(10_000, 10_500), *range(-100, 0)]
        assert len(store) == len(expected)
        assert len(store.get([made(n)[0] for n in expected])) == len(expected)


def test_a_killed_writer_loses_nothing_it_was_told_is_kept(tmp_path, writer):
    path, chance = tmp_path / "store", random.Random(1)
    for round_ in range(3):
        process = writer(path, round_ * 100_000, 20_000)
        process.stdout.readline()
        time.sleep(chance.uniform(0.05, 0.5))
        process.kill()
        told = process.communicate()[0].split()
        last = int(told[-1]) if told else round_ * 100_000 + 4
        assert last < round_ * 100_000 + 99_999, "it was to be killed while it wrote"
        wanted = [made(n)[0] for n in range(round_ * 100_000, last + 1)]
        with Store(path) as store:
            assert len(store.get(wanted)) == len(wanted)
        with sqlite3.connect(path / "cache.db") as plain:
            assert plain.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
