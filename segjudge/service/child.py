"""A process that does one piece of work after another, as `children` hands them over.

It talks over standard input and output, which only its parent holds. When the parent is gone its
input ends, and so does it.
"""

from __future__ import annotations

import os
import pickle
import sys
import traceback
from contextlib import suppress
from typing import Any

from segjudge.errors import InputError, SegjudgeError, UsageError
from segjudge.service import work


def main(memory: int) -> None:
    """Work until the parent has nothing more."""
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # Whoever prints must not be taken for an answer.
    os.dup2(2, 1)
    _limit(memory)
    while True:
        try:
            name, args = pickle.load(requests)
        except EOFError:
            return
        pickle.dump(_answer(name, args), answers, pickle.HIGHEST_PROTOCOL)
        answers.flush()


def _answer(name: str, args: tuple[Any, ...]) -> tuple[str, Any]:
    """Return how a piece of work ended, as plain values: an exception loses what it carries."""
    try:
        return "done", getattr(work, name)(*args)
    except InputError as error:
        return "input", error.problems
    except work.TooLarge as error:
        return "large", str(error)
    except UsageError as error:
        return "usage", str(error)
    except SegjudgeError as error:
        return "usage", str(error)
    except MemoryError:
        return "large", "it takes more memory than the service gives it"
    except RecursionError:
        return "usage", "it is nested too deeply"
    except Exception:
        return "fault", traceback.format_exc()


def _limit(memory: int) -> None:
    """Take no more memory than that, where the system knows how."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


if __name__ == "__main__":
    main(int(sys.argv[1]))
