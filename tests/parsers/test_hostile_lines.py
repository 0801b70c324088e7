"""Lines that once ended a parser by another error than its own: each is read, or refused by what the log says."""

from __future__ import annotations

import pytest

from storagelab.parsers.text import decode
from tests.conftest import LOGS
from tests.fuzz import oracle

STRANGE = {
    "gfal_copy/terminal.txt": ["$ gfal-copy \n", "$ gfal-copy error:\n", "gfal-copy  \n"],
    "ior/{}": ["write\n", "read 1\n", "write -\n", "write XXCEL\n"],
    "lfs_getstripe/imitated-mirrored.txt": [
        "      - 0: { l_ost_idx: 3, l_fid: [0x1:0xzz:0x0] }\n",
        "      - 0: { l_ost_idx: 3, l_fid: [0x1::0x0] }\n",
        "      lmm_stripe_count:  -1e999\n      lmm_objects:\n",
    ],
    "vmstat/procps-4.0.2-t-a.txt": [
        " 3  0      0 22924168 551112 135760    0    0  3655   956  407  644 50  6 42  1  0 2026-13-45 99:99:99\n",
        " 3  0      0 22924168 551112 135760    0    0  3655   956  407  644 50  6 42  1  0 0000-00-00 00:00:00\n",
    ],
    "iostat/times-12.6.1.json": [
        "[" * 3000 + "\n",
        '{"a": ' * 3000 + "\n",
        '"disk": 7,\n',
        '"statistics": {"disk": [[]]},\n',
    ],
    "elbencho/elbencho-3.1-1-resfile.txt": [
        "WRITE Throughput MiB/s : 1,234,567 1,234,567\n",
        "WRITE     Elapsed time     : 1,234,567\n",
    ],
}  # fmt: skip


def strange() -> list[tuple[str, str]]:
    """Names of fixtures with the lines that are put into them."""
    ior = next(path.name for path in sorted((LOGS / "ior").iterdir()) if path.suffix in (".txt", ".log"))
    return [(name.format(ior), line) for name, lines in STRANGE.items() for line in lines]


@pytest.mark.parametrize(("name", "line"), strange())
def test_a_strange_line_anywhere_is_read_or_refused(name: str, line: str) -> None:
    text = decode((LOGS / name).read_bytes())[0]
    format = name.partition("/")[0].replace("_", "-")
    lines = text.splitlines(keepends=True)
    for place in range(0, len(lines) + 1, 1 + len(lines) // 12):
        said = "".join([*lines[:place], line, *lines[place:]])
        assert oracle.fault(said, name, format) == "", f"before line {place + 1}"
