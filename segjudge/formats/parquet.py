"""Parquet as records, batch by batch, without ever loading a column of video or images."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from segjudge.errors import InputError, Problem, UsageError
from segjudge.formats.interface import Record, View
from segjudge.formats.source import LARGEST_DOCUMENT, Raw
from segjudge.formats.spellings import BLOBS

if TYPE_CHECKING:
    import pyarrow as pa

#: Rows held in memory at a time.
BATCH = 256


def parquet_view(raw: Raw, keep: frozenset[str] = frozenset()) -> View:
    """Look at a parquet file as records; `keep` names large fields that are wanted.

    Raises
    ------
    UsageError
        pyarrow is not installed.
    InputError
        The file is no parquet, or is damaged.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise UsageError(
            f"{raw.file} is parquet, which needs pyarrow: pip install 'segjudge[parquet]'"
        ) from None
    # Arrow's own errors derive from these, or from ArrowException.
    broken = (pa.ArrowException, OSError, ValueError, OverflowError)
    try:
        source = pq.ParquetFile(_seekable(raw))
        fields = [field for field in source.schema_arrow if not _is_blob(field, keep)]
    except broken as error:
        raise _damaged(raw, error) from None
    names = [field.name for field in fields]

    def records() -> Iterator[Record]:
        row = 0
        try:
            for batch in source.iter_batches(batch_size=BATCH, columns=names):
                for item in batch.to_pylist():
                    row += 1
                    yield Record(f"row {row}", None, item)
        except broken as error:
            raise _damaged(raw, error) from None

    return View("parquet", raw.file, raw.stem, records(), header=tuple(names))


def _seekable(raw: Raw) -> Any:
    """Return what parquet can seek in: the file itself, or its bytes once decompressed."""
    if raw.path is not None and not raw.is_packed():
        return raw.path
    with raw.open() as stream:
        data = stream.read(LARGEST_DOCUMENT + 1)
    if len(data) > LARGEST_DOCUMENT:
        raise raw.fault(f"parquet of at most {LARGEST_DOCUMENT} bytes where it is compressed")
    return io.BytesIO(data)


def _damaged(raw: Raw, error: Exception) -> InputError:
    """Make the error on a file that can't be read as parquet."""
    lines = str(error).splitlines() or [type(error).__name__]
    return InputError(
        Problem(raw.file, "", "", "", f"expected parquet that can be read: {lines[0]}")
    )


def _is_blob(field: pa.Field[Any], keep: frozenset[str]) -> bool:
    """Say whether a column isn't wanted: by its name, or as it holds bytes somewhere."""
    return field.name in BLOBS - keep or _holds_bytes(field.type)


def _holds_bytes(kind: Any) -> bool:
    """Say whether a type holds binary data at any depth."""
    import pyarrow.types as types

    if types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind):
        return True
    children = (kind.field(i).type for i in range(kind.num_fields))
    return any(_holds_bytes(child) for child in children)
