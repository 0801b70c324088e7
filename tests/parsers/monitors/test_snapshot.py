"""Tests of what snapshots share."""

from __future__ import annotations

import pytest

from storagelab.parsers.monitors import snapshot


@pytest.mark.parametrize("line", ["[root@n7 ~]# vmstat -s", "me@n7:~$ sar -r 1 3", "me@n7 ~ $ sar -r 1 3"])
def test_a_prompt_may_have_a_blank_before_its_sign(line: str) -> None:
    assert snapshot.is_prompt(line)
