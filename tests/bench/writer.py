"""Writes numbered frames into a terminal at a steady pace, or as fast as it takes them.   usage: FD COUNT RATE FIRST

A frame is `$<number>,<CLOCK_MONOTONIC ns when written>,xxxx…` with CR LF, 48 bytes: any process on this machine can
tell how long ago it was written.
"""

import os
import sys
import time

SIZE = 48


def frame(number: int) -> bytes:
    head = b"$%08x,%016x," % (number, time.monotonic_ns())
    return head.ljust(SIZE - 2, b"x") + b"\r\n"


def stamp(payload: bytes) -> tuple[int, int]:
    """Number and time of the frame that stands somewhere in this payload."""
    at = payload.index(b"$")
    return int(payload[at + 1 : at + 9], 16), int(payload[at + 10 : at + 26], 16)


def main(fd: int, count: int, rate: float, first: int) -> None:
    begin = time.monotonic()
    for number in range(count):
        if rate and (wait := begin + number / rate - time.monotonic()) > 0:
            time.sleep(wait)
        os.write(fd, frame(first + number))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]))
