"""Imported by the process that others are forked from."""

from segjudge.judge.transport import import_litellm

import_litellm()
