"""No secret of a command line is kept, whatever piece of the output it stands in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storagelab.recording.secrets import HIDDEN, Veil, redacted


@pytest.mark.parametrize(("words", "shown"), [
    (["warp", "put", "--secret-key", "s3cr3t", "--host=h"], ["warp", "put", "--secret-key", HIDDEN, "--host=h"]),
    (["fio", "--http_s3_key=abc/def", "--rw=read"], ["fio", f"--http_s3_key={HIDDEN}", "--rw=read"]),
    (["x", "--password=a=b c"], ["x", f"--password={HIDDEN}"]),
    (["env", "AWS_SECRET_ACCESS_KEY=abc", "fio"], ["env", f"AWS_SECRET_ACCESS_KEY={HIDDEN}", "fio"]),
    (["env", "AWS_ACCESS_KEY_ID=abc", "fio"], ["env", f"AWS_ACCESS_KEY_ID={HIDDEN}", "fio"]),
    (["curl", "-u", "me:pw", "http://h/"], ["curl", "-u", HIDDEN, "http://h/"]),
    (["curl", "-H", "Authorization: Bearer abcdef123"], ["curl", "-H", f"Authorization: {HIDDEN}"]),
    (["xrdcp", "root://me:pw@host//f?a=1&token=abc"], ["xrdcp", f"root://{HIDDEN}@host//f?a=1&token={HIDDEN}"]),
    (["sh", "-c", "fio --token=abcd | tee x"], ["sh", "-c", f"fio --token={HIDDEN} | tee x"]),
    (["sh", "-c", "echo don't --token=abcd"], ["sh", "-c", f"echo don't --token={HIDDEN}"]),
    (["sh", "-c", "'fio --token=abcd'"], ["sh", "-c", f"'fio --token={HIDDEN}'"]),
    (["git", "AKIA" + "A" * 16], ["git", HIDDEN]),
    (["mount", "-o", "username=me,password=pw"], ["mount", "-o", f"username=me,password={HIDDEN}"]),
])  # fmt: skip
def test_what_looks_like_a_secret_is_not_kept(words: list[str], shown: list[str]) -> None:
    assert redacted(words)[0] == shown


@pytest.mark.parametrize("words", [
    ["fio", "--name=write", "--rw=write", "--bs=1m", "--size=1g", "--output-format=json", "--directory=/mnt/a b"],
    ["ior", "-a", "POSIX", "-b", "1g", "-o", "/scratch/keys/f", "-k"],
    ["iozone", "-i", "0", "-F", "a.ioz", "-u", "4"], ["xrdcp", "-f", "root://host:1094//path", "."],
    ["mdtest", "-u", "-n", "10"], ["dd", "if=/dev/zero", "of=passage.dat"],
    ["fio", "--verify=md5", "--buffer_pattern=0x12"],
])  # fmt: skip
def test_what_is_none_stays(words: list[str]) -> None:
    assert redacted(words) == (words, [])


@given(
    st.text("abc", min_size=0, max_size=60),
    st.lists(st.integers(1, 7), max_size=20),
    st.sampled_from(["abca", "aabb", "cccc"]),
)
def test_a_secret_in_the_output_is_hidden_wherever_the_pieces_end(text: str, sizes: list[int], secret: str) -> None:
    veil, data, shown = Veil([secret]), f"{text}{secret}{text}".encode(), b""
    whole = data
    for size in sizes:
        shown += veil(data[:size])
        data = data[size:]
    shown += veil(data) + veil.rest()
    assert secret.encode() not in shown
    assert shown.replace(HIDDEN.encode(), secret.encode()) == whole
