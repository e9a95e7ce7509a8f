"""Run every benchmark of this folder in turn, each in a process of its own.

Run: make bench
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def main() -> int:
    """Run them all; return 1 when one fails."""
    here = Path(__file__)
    scripts = sorted(path for path in here.parent.glob("*.py") if path != here)
    failed = []
    for script in scripts:
        print(f"\n=== {script.stem}\n{first_line(script)}\n", flush=True)
        if subprocess.run([sys.executable, script], check=False).returncode:
            failed.append(script.name)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def first_line(script: Path) -> str:
    """Return the first line of what a script says of itself."""
    return script.read_text(encoding="utf-8").partition("\n")[0].strip('"')


if __name__ == "__main__":
    sys.exit(main())
