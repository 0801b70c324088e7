"""A stand-in for fio: it prints a report of fio 3.33 whose rate follows from its arguments, never twice the same."""

from __future__ import annotations

import json
import os
import random
import sys
import time
from pathlib import Path

SHAPE = Path(__file__).parent.parent / "logs" / "fio_json" / "two-processes-3.33.json"


def report(seed: str, slower: float = 1.0) -> str:
    """A report in which all numbers that hang together still do."""
    found = json.loads(SHAPE.read_text())
    drawn = random.Random(seed)
    for job in found["jobs"]:
        job["minf"] = drawn.randrange(10**9)  # rates are few, and two of them may be the same
        for side in (job["read"], job["write"]):
            if side["io_bytes"]:
                side["runtime"] = round(side["runtime"] * slower * (1 + 0.02 * drawn.uniform(-1, 1)))
                side["bw_bytes"] = side["io_bytes"] * 1000 // side["runtime"]
                side["bw"] = side["bw_bytes"] // 1024
                side["iops"] = side["total_ios"] * 1000 / side["runtime"]
    return json.dumps(found, indent=2) + "\n"


def main(arguments: list[str]) -> int:
    """Print the report; --sleep and --fail say how it goes."""
    said = dict(word.lstrip("-").partition("=")[::2] for word in arguments)
    seed = os.environ.get("STANDIN", "") or str(time.time_ns())
    text = report(" ".join([*arguments, seed]), float(said.get("slower", 1)))
    half = len(text) // 2
    sys.stdout.write(text[:half])
    sys.stdout.flush()
    time.sleep(float(said.get("sleep", 0)))
    sys.stdout.write(text[half:])
    sys.stdout.flush()
    if "say" in said:
        sys.stderr.write(f"{said['say']}\n")
    return int(said.get("fail", 0))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
