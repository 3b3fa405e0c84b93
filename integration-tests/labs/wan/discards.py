"""What the queues of a router threw away, as IF-MIB::ifOutDiscards, for snmpd's pass_persist (snmpd.conf(5)).

snmpd reads /proc/net/dev, where Linux does not count the drops of a queueing discipline; a router's ifOutDiscards does count those of its queue.
Asks the kernel at each request, so a figure is never older than the answer.
"""

import json
import subprocess
import sys

COLUMN = ".1.3.6.1.2.1.2.2.1.19"


def ask(*command: str) -> list[dict]:
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def discards() -> dict[int, int]:
    """Packets thrown away, by the index of the interface."""
    drops: dict[str, int] = {}
    for queue in ask("tc", "-json", "-statistics", "qdisc", "show"):
        drops[queue["dev"]] = drops.get(queue["dev"], 0) + queue["drops"]
    return {link["ifindex"]: drops.get(link["ifname"], 0) for link in ask("ip", "-json", "link")}


def index_of(request: str, oid: str, known: dict[int, int]) -> int | None:
    asked = [int(number) for number in oid[len(COLUMN) :].split(".") if number]
    if request == "get":
        return asked[0] if len(asked) == 1 and asked[0] in known else None
    later = [index for index in known if [index] > asked]
    return min(later, default=None)


def answer(request: str, oid: str) -> str:
    known = discards()
    index = index_of(request, oid, known)
    return "NONE" if index is None else f"{COLUMN}.{index}\ncounter\n{known[index]}"


for line in sys.stdin:
    request = line.strip()
    print("PONG" if request == "PING" else answer(request, sys.stdin.readline().strip()), flush=True)
