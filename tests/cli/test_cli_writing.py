"""Files that the program writes: whole or not at all, and nothing else is ever harmed."""

from __future__ import annotations

import gzip
import json
import os
import stat
import threading
from pathlib import Path

import pytest

from segjudge.errors import InputError
from segjudge.writing import replacing, write_text


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text("old")

    def interrupted() -> None:
        with replacing(path) as stream:
            stream.write(b"new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["report.json"]


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    write_text(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received: list[str] = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_text()))
    reader.start()
    write_text(pipe, "through")
    reader.join()
    assert received == ["through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_gz_is_the_same_bytes_each_time(tmp_path: Path) -> None:
    for name in ("a.gz", "b.gz"):
        write_text(tmp_path / name, "text")
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()
    assert gzip.decompress((tmp_path / "a.gz").read_bytes()) == b"text"


@pytest.mark.parametrize(
    ("name", "reason"),
    [("", "Is a directory"), ("no/such/folder/x.json", "No such file or directory")],
)
def test_what_cant_be_written_is_said(tmp_path: Path, name: str, reason: str) -> None:
    with pytest.raises(InputError, match=f"can't write: {reason}"):
        write_text(tmp_path / name, "text")


def test_dash_is_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    write_text("-", json.dumps({"a": 1}))
    assert json.loads(capsys.readouterr().out) == {"a": 1}


def test_the_mode_is_the_old_files_or_what_the_umask_allows(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    before = os.umask(0o027)
    try:
        write_text(path, "new")
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
    finally:
        os.umask(before)
    path.chmod(0o600)
    write_text(path, "newer")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
