"""What an Arrow IPC (Feather) file unpacks to, read off its headers: nothing is unpacked.

The file ends with a footer that lists its blocks.  Each block is a header, which says where its buffers lie, and a
body; a compressed buffer begins with its length when unpacked.  Footer and headers are flatbuffers: a table begins
with the distance back to its list of fields, which holds each field's distance from the table, 0 for one not there.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

import pyarrow as pa

_MAGIC = 6
_DICTIONARIES, _BATCHES = 2, 3
"""Fields of the footer."""
_HEADER = 2
"""Field of a block's header: the table of a batch, or of a dictionary, which holds a batch."""
_DATA = 1
"""Field of a dictionary."""
_ROWS, _BUFFERS, _COMPRESSION = 0, 2, 3
"""Fields of a batch."""


def unpacked(content: memoryview) -> tuple[int, int]:
    """Rows, and bytes of all buffers; pa.ArrowInvalid for a file that is damaged."""
    try:
        return _unpacked(content)
    except struct.error:
        raise pa.ArrowInvalid("the Arrow file is damaged") from None


def _unpacked(content: memoryview) -> tuple[int, int]:
    length = _int32(content, len(content) - _MAGIC - 4)
    footer = _followed(content, len(content) - _MAGIC - 4 - length)
    rows = size = 0
    for field in (_DICTIONARIES, _BATCHES):
        for block in _structs(content, footer, field, 24):
            start, body = _int64(content, block), _int64(content, block) + _int32(content, block + 8)
            # Files from before 2019 lack the mark that now stands before a header's length.
            header = _followed(content, start + (8 if _int32(content, start) == -1 else 4))
            batch = _table(content, header, _HEADER)
            if field == _DICTIONARIES:
                batch = _table(content, batch, _DATA)
            else:
                at = _field(content, batch, _ROWS)
                rows += _int64(content, at) if at else 0
            size += sum(_sizes(content, batch, body))
    return rows, size


def _sizes(content: memoryview, batch: int, body: int) -> Iterator[int]:
    """Bytes of each buffer of a batch once unpacked."""
    packed = _field(content, batch, _COMPRESSION) is not None
    for buffer in _structs(content, batch, _BUFFERS, 16):
        length = _int64(content, buffer + 8)
        plain = _int64(content, body + _int64(content, buffer)) if packed and length else -1
        yield length if plain < 0 else plain  # -1 says that compression did not pay


def _structs(content: memoryview, table: int, field: int, size: int) -> Iterator[int]:
    """Where each entry of a list of structures lies."""
    at = _field(content, table, field)
    if at is None:
        return
    start = _followed(content, at)
    for i in range(_int32(content, start)):
        yield start + 4 + i * size


def _table(content: memoryview, table: int, field: int) -> int:
    at = _field(content, table, field)
    if at is None:
        raise struct.error
    return _followed(content, at)


def _field(content: memoryview, table: int, number: int) -> int | None:
    """Where a field of a table lies, None if it is not there."""
    fields = table - _int32(content, table)
    size, place = _uint16(content, fields), 4 + 2 * number
    distance = _uint16(content, fields + place) if place < size else 0
    return table + distance if distance else None


def _followed(content: memoryview, at: int) -> int:
    return at + _int32(content, at)


def _int32(content: memoryview, at: int) -> int:
    return _read("<i", content, at)


def _int64(content: memoryview, at: int) -> int:
    return _read("<q", content, at)


def _uint16(content: memoryview, at: int) -> int:
    return _read("<H", content, at)


def _read(form: str, content: memoryview, at: int) -> int:
    if at < 0:  # would be taken from the end
        raise struct.error
    return int(struct.unpack_from(form, content, at)[0])
