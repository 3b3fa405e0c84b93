"""Writes blocks of 4 KiB past the page cache, one after the other, until it is killed.

    write.py DEVICE WRITER WRITES_A_SECOND

Each writer has a megabyte of its own. A write that takes longer than its turn puts the next one off.
"""

import mmap
import os
import sys
import time

BLOCK_BYTES = 4096
BYTES_A_WRITER = 1 << 20


def main() -> None:
    device, first, pause = sys.argv[1], int(sys.argv[2]) * BYTES_A_WRITER, 1 / float(sys.argv[3])
    disk = os.open(device, os.O_WRONLY | os.O_DIRECT)
    # O_DIRECT takes pages that are aligned.
    block = mmap.mmap(-1, BLOCK_BYTES)
    at = 0
    while True:
        os.pwrite(disk, block, first + at)
        at = (at + BLOCK_BYTES) % BYTES_A_WRITER
        time.sleep(pause)


main()
