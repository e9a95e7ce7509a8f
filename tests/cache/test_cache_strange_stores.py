"""What isn't a store of ours, or can't be written, is refused; nothing in it is run."""

import json
import os
import pickle
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import diskcache
import pytest

from segjudge.cache import Answer, AnswerKey, Store
from segjudge.cache.textdisk import NotText, TextDisk
from segjudge.errors import InputError
from segjudge.judgments import Judgment, Pair, Verdict

KEY = AnswerKey("m", "ab" * 32, {}, "subtask", Pair("a", "b"))
ANSWER = Answer.of(KEY, verdict="same", label_a="a", label_b="b")


@pytest.fixture
def path(tmp_path):
    with Store(tmp_path / "store") as store:
        store.put([(KEY.digest(), ANSWER)])
    return tmp_path / "store"


def execute(path, statement, *values):
    plain = sqlite3.connect(path / "cache.db")
    with plain:
        plain.execute(statement, values)
    plain.close()


class Payload:
    """Makes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


@pytest.fixture(params=["bytes", "text"])
def payload(tmp_path, request):
    ran = tmp_path / "ran"
    # The oldest protocol is plain ASCII, so it can lie in a row as text.
    data = pickle.dumps(Payload(ran), protocol=0 if request.param == "text" else None)
    # The payload is a live one.
    pickle.loads(data)
    assert ran.exists()
    ran.unlink()
    yield data if request.param == "bytes" else data.decode("ascii")
    assert not ran.exists()


USES = {
    "get": lambda store: store.get([KEY.digest()]),
    "answers": lambda store: [*store.answers()],
    "judgments": lambda store: [*store.judgments()],
}


@pytest.mark.parametrize("readonly", [True, False])
@pytest.mark.parametrize("use", USES)
def test_a_pickled_value_is_refused_and_not_run(path, payload, use, readonly):
    execute(path, "UPDATE Cache SET mode = 4, value = ? WHERE key LIKE 'answer/%'", payload)
    with (
        Store(path, readonly=readonly) as store,
        pytest.raises(InputError, match="not written by segjudge"),
    ):
        USES[use](store)


@pytest.mark.parametrize("readonly", [True, False])
def test_a_pickled_key_is_refused_and_not_run(path, payload, readonly):
    execute(path, "INSERT INTO Cache (key, raw, mode, value) VALUES (?, 0, 1, '{}')", payload)
    with pytest.raises(InputError, match="a key that isn't plain text"):
        Store(path, readonly=readonly)


def test_a_pickled_schema_row_is_refused_and_not_run(path, payload):
    execute(path, "UPDATE Cache SET mode = 4, value = ? WHERE key = 'meta/schema'", payload)
    with pytest.raises(InputError, match="not written by segjudge"):
        Store(path)


def test_pickles_that_lie_in_files_are_refused_too(path, payload):
    data = payload if isinstance(payload, bytes) else payload.encode()
    (path / "evil.val").write_bytes(data)
    execute(path, "UPDATE Cache SET mode = 4, value = NULL, filename = 'evil.val'")
    with pytest.raises(InputError, match="not written by segjudge"):
        Store(path)


def test_a_row_cannot_point_at_a_file_elsewhere(path, tmp_path):
    (tmp_path / "secret").write_text(ANSWER.text(), encoding="utf-8")
    execute(
        path,
        "UPDATE Cache SET mode = 3, value = NULL, filename = '../secret' WHERE key LIKE 'answer/%'",
    )
    with Store(path) as store, pytest.raises(InputError, match="not written by segjudge"):
        store.get([KEY.digest()])


def test_the_disk_itself_refuses_pickles(path, payload):
    execute(path, "UPDATE Cache SET mode = 4, value = ? WHERE key LIKE 'answer/%'", payload)
    execute(path, "INSERT INTO Cache (key, raw, mode, value) VALUES (?, 0, 1, '{}')", payload)
    with diskcache.Cache(str(path), disk=TextDisk) as cache:
        with pytest.raises(NotText):
            cache.get(f"answer/{KEY.digest()}")
        with pytest.raises(NotText):
            list(cache)


@pytest.mark.parametrize("value", [True, 1, 1.5, b"x", None, {"a": 1}, ("a",), Verdict.SAME])
def test_the_disk_takes_nothing_but_text(tmp_path, value):
    with diskcache.Cache(str(tmp_path), disk=TextDisk) as cache:
        with pytest.raises(NotText):
            cache.set("key", value)
        with pytest.raises(NotText):
            cache.set(value, "text")
        cache.set("key", "text")
        assert cache["key"] == "text"
        assert [*cache] == ["key"]


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("value", "{", "EOF|JSON"),
        ("value", '{"judge": "m"}', "prompt_sha256: Field required"),
        ("value", ANSWER.text().replace('"same"', '"match"'), "verdict"),
    ],
)
def test_a_row_that_is_no_answer_is_named(path, column, value, said):
    execute(path, f"UPDATE Cache SET {column} = ? WHERE key LIKE 'answer/%'", value)
    with Store(path) as store, pytest.raises(InputError, match=said) as caught:
        store.get([KEY.digest()])
    assert caught.value.problems[0].place == f"answer/{KEY.digest()}"


def test_answers_put_under_one_tag_by_hand_make_no_judgment(path):
    other = AnswerKey("another", "ab" * 32, {}, "subtask", Pair("a", "b"))
    with Store(path) as store:
        store.put([(other.digest(), ANSWER.model_copy(update={"judge": "another"}))])
    execute(path, "UPDATE Cache SET tag = 'answer/x' WHERE key LIKE 'answer/%'")
    with Store(path) as store, pytest.raises(InputError, match="more than one question"):
        [*store.judgments()]


@pytest.mark.parametrize("readonly", [True, False])
@pytest.mark.parametrize(
    ("number", "said"),
    [
        ("2", "made by a newer segjudge .*: upgrade segjudge, or choose another"),
        ("0", "made by an older segjudge .*: export it with the version that made it"),
    ],
)
def test_another_schema_is_refused_with_what_to_do(path, number, said, readonly):
    execute(
        path, "UPDATE Cache SET value = ? WHERE key = 'meta/schema'", f"segjudge.store/{number}"
    )
    before = (path / "cache.db").read_bytes()
    with pytest.raises(InputError, match=said):
        Store(path, readonly=readonly)
    assert (path / "cache.db").read_bytes() == before


@pytest.mark.parametrize("settings", [{}, {"eviction_policy": "none", "cull_limit": 0}])
def test_the_cache_of_another_program_is_left_alone(tmp_path, settings):
    with diskcache.Cache(str(tmp_path), **settings) as cache:
        cache["key"] = "value"
        kept = cache.size_limit
    with pytest.raises(InputError, match="a cache of another program"):
        Store(tmp_path)
    with diskcache.Cache(str(tmp_path)) as cache:
        assert cache.size_limit == kept == 2**30
        assert [*cache] == ["key"]


def test_an_empty_cache_of_another_program_is_left_alone_too(tmp_path):
    diskcache.Cache(str(tmp_path)).close()
    with pytest.raises(InputError, match="a cache of another program"):
        Store(tmp_path)


def test_a_store_whose_making_was_cut_short_is_made_again(tmp_path):
    (tmp_path / "cache.db").touch()
    with Store(tmp_path) as store:
        store.put([(KEY.digest(), ANSWER)])
    with Store(tmp_path, readonly=True) as store:
        assert store.get([KEY.digest()])


def test_a_folder_with_other_files_is_no_place_for_a_store(tmp_path):
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(InputError, match="other files in it"):
        Store(tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_file_is_no_store(tmp_path):
    (tmp_path / "judgments.jsonl").touch()
    with pytest.raises(InputError, match="a file, where a store is a folder"):
        Store(tmp_path / "judgments.jsonl")
    with pytest.raises(InputError, match="can't be used as a store"):
        Store(tmp_path / "judgments.jsonl" / "below")


def test_something_else_by_the_name_of_the_database_is_refused(tmp_path):
    (tmp_path / "cache.db").write_bytes(b"PK\x03\x04" * 1_000)
    with pytest.raises(InputError, match="no store of segjudge"):
        Store(tmp_path)


def test_a_damaged_database_is_reported(path):
    with Store(path) as store:
        store.import_judgments(
            Judgment(label_a=f"{n}", label_b="x" * 500, verdict="same", judge="j")
            for n in range(500)
        )
    data = bytearray((path / "cache.db").read_bytes())
    data[8_192:-4_096] = os.urandom(len(data) - 12_288)
    (path / "cache.db").write_bytes(data)
    with pytest.raises(InputError, match="damaged"), Store(path, readonly=True) as store:
        [*store.judgments()]


def test_reading_needs_a_store_and_makes_none(tmp_path):
    with pytest.raises(InputError, match="no store here"):
        Store(tmp_path / "nowhere", readonly=True)
    assert [*tmp_path.iterdir()] == []


def test_reading_writes_nothing(path):
    before = (path / "cache.db").read_bytes()
    with Store(path, readonly=True) as store:
        assert [*store.answers()] == [ANSWER]
        for write in (
            lambda: store.put([(KEY.digest(), ANSWER)]),
            lambda: store.import_judgments([]),
            lambda: store.fail([]),
        ):
            with pytest.raises(InputError, match="for reading only"):
                write()
    assert (path / "cache.db").read_bytes() == before


def mounted(script, path, how):
    """Run a script with `path` mounted anew, in a name space of its own."""
    command = f'{how} && exec "$@"'
    try:
        subprocess.run(["unshare", "-rm", "sh", "-c", how, "sh", path], check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("mounting isn't possible here")
    return subprocess.run(
        ["unshare", "-rm", "sh", "-c", command, "sh", sys.executable, "-c", script, path],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )


READ = """
import sys
from segjudge.cache import Store
from segjudge.errors import InputError
try:
    with Store(sys.argv[1], readonly=True) as store:
        print(len([*store.judgments()]))
    Store(sys.argv[1])
except InputError as error:
    print(error)
"""


def read_only(path):
    return f'mount --bind "{path}" "{path}" && mount -o remount,ro,bind "{path}"'


def test_a_store_on_read_only_media_is_replayed(path):
    done = mounted(READ, path, read_only(path))
    assert done.stderr == ""
    read, refused = done.stdout.splitlines()
    assert read == "1"
    assert refused.startswith(f"{path}: ")
    assert "can't be written to" in refused


def test_a_copy_of_a_store_in_use_is_not_read_without_its_log(path, tmp_path):
    with Store(path) as store:
        other = AnswerKey("m", "ab" * 32, {}, "subtask", Pair("c", "d"))
        store.put([(other.digest(), ANSWER.model_copy(update={"a": "c", "b": "d"}))])
        copy = shutil.copytree(path, tmp_path / "copy")
    (copy / "cache.db-shm").unlink()
    assert (copy / "cache.db-wal").stat().st_size
    done = mounted(READ, copy, read_only(copy))
    # SQLite may manage to read the log all the same; what must not be is one answer lost.
    assert done.stdout.splitlines()[0] == "2" or "copy all of it" in done.stdout
    with Store(copy, readonly=True) as store:
        assert len(store) == 2


FILL = """
import sys
from segjudge.cache import Answer, AnswerKey, Store
from segjudge.errors import InputError
from segjudge.judgments import Pair

def made(n):
    key = AnswerKey("m", "ab" * 32, {}, "subtask", Pair(f"a {n}", f"b {n}"))
    return key.digest(), Answer.of(key, verdict="same", label_a="a", label_b="b", raw="x" * 4000)

kept = 0
try:
    with Store(sys.argv[1] + "/store") as store:
        while kept < 10_000:
            store.put([made(n) for n in range(kept, kept + 10)])
            kept += 10
except InputError as error:
    print(error)
with Store(sys.argv[1] + "/store", readonly=True) as store:
    print(kept, len(store.get([made(n)[0] for n in range(kept)])), len(store))
"""


def test_a_full_disk_is_reported_and_what_was_kept_stays(tmp_path):
    done = mounted(FILL, tmp_path, f'mount -t tmpfs -o size=2m none "{tmp_path}"')
    assert done.stderr == ""
    told, counts = done.stdout.splitlines()
    assert "disk" in told
    assert "what was stored before is kept" in told
    kept, found, there = map(int, counts.split())
    assert 0 < kept < 10_000
    assert found == there == kept


def test_no_message_of_a_broken_row_quotes_it(path):
    secret = json.dumps({"judge": "sk-secret", "verdict": 5})
    execute(path, "UPDATE Cache SET value = ? WHERE key LIKE 'answer/%'", secret)
    with Store(path) as store, pytest.raises(InputError) as caught:
        store.get([KEY.digest()])
    assert "sk-secret" not in str(caught.value)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER tidy AFTER INSERT ON Cache BEGIN DELETE FROM Cache; END",
        "CREATE TRIGGER Settings_count_update AFTER UPDATE ON Cache BEGIN DELETE FROM Cache; END",
        "CREATE VIEW more AS SELECT * FROM Cache",
    ],
)
@pytest.mark.parametrize("readonly", [False, True])
def test_a_trigger_of_a_stranger_is_never_run(path, statement, readonly):
    execute(path, statement)
    with pytest.raises(InputError, match="of its own, which could change answers"):
        Store(path, readonly=readonly)


def test_a_trigger_of_diskcache_that_was_changed_is_refused(path):
    execute(path, "DROP TRIGGER Settings_count_insert")
    execute(
        path,
        "CREATE TRIGGER Settings_count_insert AFTER INSERT ON Cache BEGIN DELETE FROM Cache; END",
    )
    with pytest.raises(InputError, match="trigger"):
        Store(path)
