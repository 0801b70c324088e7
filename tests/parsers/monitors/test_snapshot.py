"""Tests of what snapshots share."""

from __future__ import annotations

import pytest

from storagelab.parsers.monitors import snapshot


@pytest.mark.parametrize(
    "line", ["[root@n7 ~]# vmstat -s", "me@n7:~$ sar -r 1 3", "me@n7 ~ $ sar -r 1 3", "bash-3.00$ mpstat 2 5"]
)
def test_a_prompt_may_have_a_blank_before_its_sign(line: str) -> None:
    assert snapshot.is_prompt(line)


@pytest.mark.parametrize("end", ["", "```", "^C", '"""', "''');", "*/", "me@n7:~$ "])
def test_prose_behind_what_ends_a_table_is_known(end: str) -> None:
    assert snapshot.prose_behind_tables(["1 2 3", end, "result = parse(text)", "4 5 6", "no end"]) == {3}
