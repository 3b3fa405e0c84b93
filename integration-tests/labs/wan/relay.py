"""A longer way: passes frames between two interfaces, each after so many milliseconds.

    relay.py INTERFACE INTERFACE MILLISECONDS

Stands in for the netem queueing discipline, which not every kernel has. Runs until it is killed.
"""

import collections
import select
import socket
import sys
import time

ETH_P_ALL = 3
PACKET_OUTGOING = 4
MAX_FRAME_BYTES = 65_536


def main() -> None:
    names, delay = sys.argv[1:3], float(sys.argv[3]) / 1000
    sides = []
    for name in names:
        side = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        side.bind((name, ETH_P_ALL))
        side.setblocking(False)
        sides.append(side)
    waiting = collections.deque()
    while True:
        timeout = max(0.0, waiting[0][0] - time.monotonic()) if waiting else None
        for side in select.select(sides, [], [], timeout)[0]:
            frame, address = side.recvfrom(MAX_FRAME_BYTES)
            if address[2] != PACKET_OUTGOING:
                other = sides[1 - sides.index(side)]
                waiting.append((time.monotonic() + delay, other, frame))
        while waiting and waiting[0][0] <= time.monotonic():
            _, other, frame = waiting.popleft()
            other.send(frame)


main()
