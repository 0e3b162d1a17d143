"""Lines of standard input, each bounded, however long somebody makes one."""

from collections.abc import Iterator
from typing import BinaryIO

from controller.readers.json import MAX_LINE


def lines_of(stream: BinaryIO) -> Iterator[bytes]:
    """Line by line; of one that is too long only so much that it is seen to be, however long it is."""
    while line := stream.readline(MAX_LINE + 1):
        rest = line
        while rest and not rest.endswith(b"\n") and len(rest) > MAX_LINE:
            rest = stream.readline(MAX_LINE + 1)
        yield line
