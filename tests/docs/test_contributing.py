"""What CONTRIBUTING says of adding a metric, a format and a prompt works as it stands there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from doc_runner import ROOT, blocks, environment

from segjudge import prompts

SEGJUDGE = Path(sys.executable).with_name("segjudge")
REFERENCE = "examples/kitchen/reference.jsonl"
PREDICTION = "examples/kitchen/prediction_careful.jsonl"


def block(heading: str, marked: str) -> str:
    """Return the first block of a section that is marked so."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    found = [each for each in blocks(section) if each.marked == marked]
    return "\n".join(found[0].lines) + "\n"


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An installed package with the metric and the format, each a file and an entry point."""
    folder = tmp_path_factory.mktemp("plugin")
    info = folder / "plugin-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: plugin\nVersion: 1\n")
    points = ""
    for heading in ("Add a metric", "Add a format"):
        toml = block(heading, "toml")
        found = re.search(r'"(segjudge\.\w+)"\]\n(\w+) = "segjudge\.\w+\.(\w+):(\w+)"', toml)
        assert found is not None
        group, name, module, thing = found.groups()
        (folder / f"{module}.py").write_text(block(heading, "python"), encoding="utf-8")
        points += f"[{group}]\n{name} = {module}:{thing}\n"
    (info / "entry_points.txt").write_text(points)
    return folder


def run(plugin: Path, *arguments: str, text: str = "") -> str:
    variables = environment(plugin)
    variables["PYTHONPATH"] = f"{plugin}:{variables['PYTHONPATH']}"
    ran = subprocess.run(
        [SEGJUDGE, *arguments],
        cwd=ROOT,
        env=variables,
        input=text,
        capture_output=True,
        encoding="utf-8",
    )
    assert not ran.returncode, ran.stderr
    return ran.stdout


def test_the_metric(plugin: Path) -> None:
    judged = ("--judgments", "examples/kitchen/judgments.jsonl")
    shown = run(plugin, "score", REFERENCE, PREDICTION, "--metric", "touched", *judged)
    assert "touched  0.9013" in shown  # 137 of 152
    assert "touched, on `permissible`\n    Touched: the share" in run(plugin, "metrics")


def test_the_metric_has_bounds(plugin: Path) -> None:
    lone = run(plugin, "score", REFERENCE, PREDICTION, "--metric", "touched", "--allow-bounds")
    low, high = map(float, re.findall(r"touched  ([\d.]+) to ([\d.]+)", lone)[0])
    assert low < 0.9013 < high


def test_the_format(plugin: Path) -> None:
    line = '{"id": "a", "spoken": [[0.0, 3.25, "open the drawer"]]}'
    assert "spoken " in run(plugin, "formats")
    assert "-: spoken, 1 episodes, 1 segments" in run(plugin, "validate", "-", text=line)


def test_the_prompt(tmp_path: Path) -> None:
    path = tmp_path / "workshop.md"
    path.write_text(block("Add a prompt", "markdown"), encoding="utf-8")
    prompt = prompts.load(path)
    assert prompt.id == "workshop@1"
    assert set(prompt.verdicts) == {"yes", "no"}
