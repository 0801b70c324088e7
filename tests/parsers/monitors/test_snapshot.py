"""Tests of what snapshots share."""

from __future__ import annotations

import pytest

from storagelab.parsers.monitors import snapshot


@pytest.mark.parametrize(
    "line",
    [
        "[root@n7 ~]# vmstat -s",
        "me@n7:~$ sar -r 1 3",
        "me@n7 ~ $ sar -r 1 3",
        "bash-3.00$ mpstat 2 5",
        "[@n7 ~]# iostat -d 1 2",
        "[root ~]# mpstat",
        "~ # mpstat -P ALL",
    ],
)
def test_a_prompt_may_have_a_blank_before_its_sign_and_lack_a_name(line: str) -> None:
    assert snapshot.is_prompt(line)


@pytest.mark.parametrize("end", ["", "```", "^C", '"""', "''');", "*/", "{% endhighlight %}", "me@n7:~$ "])
def test_prose_behind_what_ends_a_table_is_known(end: str) -> None:
    assert snapshot.prose_behind_tables(["1 2 3", end, "result = parse(text)", "4 5 6", "no end"]) == {3}


def test_prose_with_which_a_log_ends_is_known() -> None:
    lines = ["in  out", "1 2", "This is little", "", "2. 下一步", "read(text) 5"]
    assert snapshot.prose_below(lines) == set()
    assert snapshot.prose_below(lines[:-1]) == {3, 5}
    assert snapshot.prose_below(["in  out", "1 2", "in  o"]) == set()
    assert snapshot.prose_below(["This is all"]) == {1}


def test_a_number_of_a_paragraph_makes_no_text_a_row() -> None:
    assert all(map(snapshot.is_prose, ["3）内存", "2. The disks", "（3）内存", "4) what then"]))
    assert not any(map(snapshot.is_prose, ["16 lo", "2. 5 disks", "eth0 1.5"]))


def test_text_between_a_row_and_the_end_of_its_table_is_known() -> None:
    lines = ["in  out", "1 2", "this is in", "that is out", "```", "a heading", "```", "3 4", "lost words", "5 6"]
    assert [at for at in range(1, len(lines) + 1) if snapshot.is_prose_between(lines, at)] == [3, 4]
