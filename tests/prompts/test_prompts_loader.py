"""Prompts by name, from files and from plug-ins; and what is wrong with a file."""

import pytest

from segjudge import prompts
from segjudge.errors import InputError, UsageError
from segjudge.prompts import loader

FILE = """---
name: mine
version: 2.1b
task: subtask
kind: permissible
---

Do the labels mean the same?

Say so.
"""


@pytest.fixture
def fresh():
    """Look for prompts anew, now and afterwards."""
    loader._known.cache_clear()
    yield
    loader._known.cache_clear()


def test_a_prompt_has_a_name_and_a_version():
    assert prompts.load("relation") is prompts.load("relation@1")
    assert prompts.load("relation").id == "relation@1"


@pytest.mark.parametrize("name", ["relation@2", "relations", "nowhere/mine.md", ""])
def test_an_unknown_prompt_lists_those_there_are(name):
    with pytest.raises(UsageError) as caught:
        prompts.load(name)
    assert repr(name) in str(caught.value)
    assert "permissible-subtask@1, relation@1, same-event@1" in str(caught.value)


def test_a_file_of_ones_own(tmp_path):
    path = tmp_path / "mine.md"
    path.write_text(FILE, encoding="utf-8")
    for given in (path, str(path)):
        prompt = prompts.load(given)
        assert prompt.id == "mine@2.1b"
        assert (prompt.task, prompt.kind, prompt.wording) == ("subtask", "permissible", "own")
        assert prompt.text == "Do the labels mean the same?\n\nSay so."
        assert prompt.path == path


def test_a_name_means_the_prompt_though_there_is_such_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "relation").write_text(FILE, encoding="utf-8")
    assert prompts.load("relation").id == "relation@1"
    assert prompts.load("./relation").id == "mine@2.1b"


def test_line_ends_and_a_byte_order_mark_do_not_make_another_prompt():
    plain = loader.parse(FILE.encode(), "f")
    windows = ("\ufeff" + FILE.replace("\n", "\r\n") + "\r\n\r\n").encode()
    assert loader.parse(windows, "f").sha256 == plain.sha256
    trailing = FILE.replace("same?", "same?  ").encode()
    assert loader.parse(trailing, "f").sha256 == plain.sha256
    assert loader.parse(FILE.replace("Say so", "Say it").encode(), "f").sha256 != plain.sha256


def test_the_front_matter_takes_comments_quotes_and_colons():
    text = FILE.replace("name: mine", '# what I use\n\nname: "mine"').replace(
        "kind: permissible", "kind: permissible\nbenchmark: My Bench: 2\nwording: published"
    )
    prompt = loader.parse(text.encode(), "f")
    assert (prompt.name, prompt.benchmark, prompt.caveat) == ("mine", "My Bench: 2", "")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("---\nname", "name", "f: line 1: 'name: mine' (expected --- and a front matter)"),
        (
            "permissible\n---\n",
            "permissible\n",
            "f: line 1: expected a front matter that ends with ---",
        ),
        ("kind: permissible", "kind: maybe", "f: line 5: 'kind: maybe' (expected one of relation"),
        ("kind: permissible", "kind", "f: line 5: 'kind' (expected key: value)"),
        ("kind: permissible", "", "f: front matter: kind: a line `kind: ...`"),
        ("task: subtask", "task: sub task", "f: line 4: 'task: sub task' (expected a word"),
        ("task: subtask", "name: again", "f: line 4: 'name: again' (expected name only once)"),
        ("name: mine", "name: mine@1", "f: line 2: 'name: mine@1' (expected a word"),
        ("kind:", "colour: red\nkind:", "f: line 5: 'colour: red' (expected one of the keys name"),
        ("task:", "wording: mine\ntask:", "f: line 4: 'wording: mine' (expected one of own, pub"),
    ],
)
def test_a_mistake_in_the_front_matter_is_named_with_its_line(old, new, said):
    assert FILE.count(old) == 1
    with pytest.raises(InputError) as caught:
        loader.parse(FILE.replace(old, new).encode(), "f")
    assert str(caught.value).startswith(said)


def test_every_mistake_is_named_not_only_the_first():
    text = "---\nname: a b\nkind: x\n---\n \n"
    with pytest.raises(InputError) as caught:
        loader.parse(text.encode(), "f")
    places = [(each.place, each.field) for each in caught.value.problems]
    assert places == [
        ("line 2", ""),
        ("line 3", ""),
        ("front matter", "version"),
        ("front matter", "task"),
        ("line 4", ""),
    ]


@pytest.mark.parametrize(
    ("data", "said"), [(b"", "line 1"), (b"---\n\xff", "byte 4: expected UTF-8")]
)
def test_a_file_that_is_no_text(data, said):
    with pytest.raises(InputError, match=said):
        loader.parse(data, "f")


def plug_in(folder, name, text):
    """Install a distribution whose package holds one prompt."""
    package = folder / name
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "prompt.md").write_text(text, encoding="utf-8")
    info = folder / f"{name}-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[segjudge.prompts]\nmain = {name}\n")


@pytest.mark.usefixtures("fresh")
def test_another_package_adds_prompts(tmp_path, monkeypatch):
    for version in ("9", "10"):
        plug_in(tmp_path, f"prompts_{version}", FILE.replace("2.1b", version))
    monkeypatch.syspath_prepend(tmp_path)
    assert prompts.names()[:2] == ("mine@9", "mine@10")
    assert prompts.load("mine").id == "mine@10"
    assert prompts.load("mine@9").path is None


@pytest.mark.usefixtures("fresh")
def test_another_package_cannot_change_what_a_name_means(tmp_path, monkeypatch):
    plug_in(tmp_path, "prompts_other", FILE.replace("mine", "relation").replace("2.1b", "1"))
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(InputError, match="prompts_other: there already is a prompt relation@1"):
        prompts.load("relation")
