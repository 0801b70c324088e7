"""Logs give the same rows whatever people put around them, on the lines on which they stand then."""

from __future__ import annotations

import functools
import itertools
import json
import quopri
import re
from pathlib import Path

import pytest

from storagelab import parsers, schema
from storagelab.errors import ParseError
from storagelab.ingest import Log, read_log
from storagelab.parsers import Value
from storagelab.parsers.recognition import HEAD, WINDOWS
from storagelab.parsers.wrapping import encodings, prefixes
from storagelab.parsers.wrapping.lines import Lines
from tests import wrapping
from tests.conftest import LOGS, SHARED, fixture_logs, log_id

WAYS_A_LOG = 6
"""Ways in which a log of each format is wrapped; over all formats each way comes up several times."""

LIMITS = {
    ("lfs_getstripe", "*"): "three lines, of which the parser takes the first for a path whatever stands before it",
    ("ip_link", "*"): "JSON on one line: nothing tells a prefix from it",
    ("fio_log", "batch"): "numbers without a heading, in a file whose name does not tell",
    ("fio_log", "preamble"): "numbers without a heading, in a file whose name does not tell",
    ("mpstat", "learned"): "a table of mpstat with a prefix that is not known reads as one that was cut",
    (
        "rrd_fetch",
        "learned",
    ): "the heading is found at the beginning of a line only, and its shape is not that of a row",
    ("xrdcl_log", "*"): "its own lines begin with dates: a stamp in front, and continued lines, are not told apart",
    ("glusterfs_log", "stern"): "a log of messages, whose lines are told by their times at the beginning",
    ("syslog", "stern"): "its own lines begin with times and names, and so does what stands before them",
    **{
        (name, "buildkite"): "lines are found whatever stands before them, and control characters in them are told"
        for name in ("gridftp_log", "syslog", "testdfsio")
    },
    ("syslog", "learned"): "its own lines begin with times and names, and so does what stands before them",
    ("ganglia_host_page", "batch"): "a page copied as text: every line with a name and a value is a metric",
    ("ganglia_host_page", "ranks_by_turns"): "a page copied as text: every line with a name and a value is a metric",
    ("iozone", "pdsh"): "the name before its lines is that of the client, as each says in a test of many",
    **{
        (name, "learned"): "much of it is read, or it is a log of something else, with a prefix that is not known"
        for name in ("cmssw_fwjr_json", "dd", "glusterfs_log", "mountstats", "root", "vnstat")
    },
    **{
        (name, "returns"): "begins with an empty line, as a tool does that goes back before it writes"
        for name in ("fileop", "hdparm", "nfsiostat")
    },
}
"""What is known to come out otherwise, and why."""

NOISY = (
    "notebook",
    "ranks_by_turns",
    "preamble",
    "batch",
    "script",
    "fence",
    "indented_block",
    "quoted_in_mail",
    "html",
)
"""Ways that put other lines around or between: a parser may take one for a damaged line of its own."""
PACKED = frozenset({"gzip", "bzip2", "xz", "zstd", "gzip_in_xz", "utf16", "utf16_without_mark", "utf16_be", "utf32"})
"""Ways that change bytes and no line."""
FEW = 4
"""Lines from which on a log is wrapped here: of fewer, nothing can be learned."""


def rows(log: Log, numbers: list[int] | None = None) -> list[str]:
    """Every row as text; with the lines that they have in a wrapped log, if their numbers are given."""
    found = []
    for node in ("runs", "clients", "series", "events"):
        for row in log.rows(node):
            for name in LINES.intersection(row):
                row[name] = placed(row[name], numbers)
            found.append(repr((node, sorted((name, str(value)) for name, value in row.items()))))
    return sorted(found)


LINES = {"line", *schema.VALUE_AT}


def placed(line: Value, numbers: list[int] | None) -> float:
    """Number in a wrapped log of a line; 0 is none, and what has none stays without."""
    return float(numbers[int(line) - 1] if numbers is not None and line and line == line else line)


@functools.cache
def one_a_format() -> list[Path]:
    """Return the first log of each format that has rows and no line ends of its own."""
    found: dict[str, Path] = {}
    for log in fixture_logs():
        text = encodings.decoded(log.read_bytes()).text
        if log.parent.name not in found and "\r" not in text and text.count("\n") >= FEW and _has_rows(log):
            found[log.parent.name] = log
    return list(found.values())


def _has_rows(log: Path) -> bool:
    try:
        return bool(rows(read_log(log)))
    except ParseError:
        return False


def ways_of(place: int) -> list[str]:
    names = list(wrapping.WAYS)
    return [names[(place * WAYS_A_LOG + offset) % len(names)] for offset in range(WAYS_A_LOG)]


def place_of(format: str) -> int:
    """Place of the log of a format among those that are wrapped; without one the test is skipped."""
    place = next((at for at, log in enumerate(one_a_format()) if log.parent.name == format), None)
    if place is None:
        pytest.skip("every log of the format has carriage returns, or no rows")
    return place


def is_limit(log: Path, way: str) -> bool:
    return (log.parent.name, way) in LIMITS or (log.parent.name, "*") in LIMITS


def check_same(log: Path, way: str, folder: Path) -> None:
    assert difference(log, way, folder) == "", f"{log_id(log)} in {way}"


@functools.lru_cache(maxsize=1)
def read_bare(log: Path) -> tuple[str, Log]:
    """Text of a log and what is read of it: once for all ways in which it is wrapped."""
    return encodings.decoded(log.read_bytes()).text, read_log(log)


def difference(log: Path, way: str, folder: Path) -> str:
    """First row that a wrapped log has otherwise; "" where there is none, and nothing is missing of the log."""
    text, bare = read_bare(log)
    wrapped = wrapping.WAYS[way](text)
    file = folder / log.name
    file.unlink(missing_ok=True)  # to write over a file is to wait for the disk
    file.write_bytes(wrapped.data)
    found = read_log(file)
    for row, wanted in itertools.zip_longest(rows(found), rows(bare, list(wrapped.numbers))):
        if row != wanted:
            return f"{row} instead of {wanted}"
    return "" if way in NOISY or found.parsed.complete >= bare.parsed.complete else "a log that is not whole"


def test_every_way_comes_up() -> None:
    asked = {way for place in range(len(one_a_format())) for way in ways_of(place)}
    assert asked == set(wrapping.WAYS)


@pytest.mark.parametrize(
    ("format", "way"),
    [
        ("bonnie", "jenkins"),
        ("dbench", "learned"),
        ("dd", "jenkins"),
        ("lustre_iokit", "jenkins"),
        ("mpstat", "jenkins"),
    ],
)
def test_a_log_that_is_known_but_not_read_is_tried_without_what_stands_before_its_lines(
    format: str, way: str, tmp_path: Path
) -> None:
    check_same(next(log for log in one_a_format() if log.parent.name == format), way, tmp_path)


@pytest.mark.parametrize("format", sorted(folder.name for folder in LOGS.iterdir()))
def test_a_wrapped_log_gives_the_same_rows(format: str, tmp_path: Path) -> None:
    place = place_of(format)
    log = one_a_format()[place]
    for way in ways_of(place):
        if not is_limit(log, way):
            check_same(log, way, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("format", sorted(folder.name for folder in LOGS.iterdir()))
def test_a_log_is_read_in_every_way_or_that_is_a_known_limit(format: str, tmp_path: Path) -> None:
    """All pairs, but the ways of packing bytes, which no format knows of; a limit that is none any more must go."""
    place = place_of(format)
    log, broken = one_a_format()[place], {}
    for way in sorted({*wrapping.WAYS} - PACKED - {*ways_of(place)}):
        try:
            broken[way] = difference(log, way, tmp_path)
        except ParseError as error:
            broken[way] = str(error)
    broken = {way: why for way, why in broken.items() if why}
    assert {way for way in broken if not is_limit(log, way)} == set(), broken
    assert {way for format, way in LIMITS if format == log.parent.name} & {*wrapping.WAYS} - {*ways_of(place)} <= {
        *broken
    }


@pytest.mark.parametrize("way", sorted(wrapping.WAYS))
def test_ior_is_read_in_every_way(way: str, tmp_path: Path) -> None:
    check_same(LOGS / "ior" / "4.1.0dev_shared_file_2_tasks.txt", way, tmp_path)


@pytest.mark.parametrize("blanks", ["  ", " "])
def test_stamps_are_taken_away_with_the_blanks_behind_them(blanks: str, tmp_path: Path) -> None:
    """CI servers put two: one that stayed would make every line a line of something else."""
    bare = LOGS / "fio_text" / "multi-3.33.txt"
    stamped = tmp_path / "stamped.txt"
    stamped.write_text("".join(f"00:14:18.910{blanks}{line}" for line in bare.read_text().splitlines(keepends=True)))
    assert rows(read_log(stamped)) == rows(read_log(bare))


@pytest.mark.parametrize("format", ["bonnie", "fio_text", "hdparm", "iozone", "rados_bench"])
def test_a_mail_is_read_as_it_was_before_it_was_encoded(format: str, tmp_path: Path) -> None:
    """Quoted-printable breaks lines after 75 characters, and writes signs as numbers; a row keeps its first line."""
    read = 0
    for log in sorted((LOGS / format).glob("*.txt")):
        lines = [quopri.encodestring(line + b"\n") for line in log.read_bytes().removesuffix(b"\n").split(b"\n")]
        numbers = [1 + sum(line.count(b"\n") for line in lines[:place]) for place in range(len(lines))]
        mail = tmp_path / log.name
        mail.write_bytes(b"".join(lines))
        if b"=3D" in mail.read_bytes() or b"=\n" in mail.read_bytes():
            read += 1
            assert rows(read_log(mail)) == rows(read_log(log), numbers), log.name
    assert read


RFC_5424 = LOGS / "syslog" / "imitated-rfc5424.log"
GRIDFTP = LOGS / "gridftp_log" / "server.log"


@pytest.mark.parametrize("way", ["bom", "mail"])
@pytest.mark.parametrize(("log", "begin"), [(RFC_5424, "kernel - - -"), (GRIDFTP, "2026 ::")])
def test_a_last_line_that_is_cut_is_not_trusted_whatever_stands_before_it(
    log: Path, begin: str, way: str, tmp_path: Path
) -> None:
    """Nothing is left of the line without its prefix: the log is cut all the same."""
    data = wrapping.WAYS[way](log.read_text()).data.decode()
    begin = "\n>" if way == "mail" else begin
    (tmp_path / log.name).write_text(data[: data.rindex(begin) + len(begin)])
    found = read_log(tmp_path / log.name)
    assert not found.parsed.complete
    assert "end" in found.notes()


def test_a_log_of_messages_keeps_what_its_lines_begin_with(tmp_path: Path) -> None:
    """A digit of a process that changed makes no log one that ranks wrote."""
    text = GRIDFTP.read_text()
    bare, changed = tmp_path / "bare.log", tmp_path / "changed.log"
    bare.write_text(text)
    changed.write_text(text.replace("[26592] Fri Nov 20 21:55:58", "[26692] Fri Nov 20 21:55:58", 1))
    assert changed.read_text() != text
    assert rows(read_log(changed)) == rows(read_log(bare))
    assert "wrapping" not in read_log(changed).parsed.header


@pytest.mark.slow
def test_strangers_logs_are_read_when_they_are_stamped_and_compressed(tmp_path: Path) -> None:
    logs = sorted((SHARED / "corpus").glob("ior/*.txt"))
    if not logs:
        pytest.skip("no corpus of strangers' logs is here")
    for log in logs[:5]:
        for way in ("ts", "gzip"):
            check_same(log, way, tmp_path)


def test_prefixes_that_a_tool_may_have_itself_are_taken_from_a_log_that_is_not_whole_with_them(tmp_path: Path) -> None:
    """sadf's tables begin with times, its JSON does not."""
    bare = LOGS / "sadf" / "tables-12.6.1.json"
    stamped = tmp_path / "stamped.json"
    stamped.write_text("".join(f"May  1 00:14:18 {line}" for line in bare.read_text().splitlines(keepends=True)))
    log = read_log(stamped)
    assert log.parsed.complete
    assert log.parsed.header["wrapping"] == "stamped"
    assert rows(log) == rows(read_log(bare))


def test_numbers_that_a_page_emphasises_are_read(tmp_path: Path) -> None:
    bare = LOGS / "vmstat" / "procps-4.0.2.txt"
    wrapped = tmp_path / "wrapped.txt"
    text = bare.read_text()
    first = next(line for line in text.splitlines() if line.split()[0].isdigit())
    starred = first.replace(f" {first.split()[3]} ", f" **{first.split()[3]}** ", 1)
    wrapped.write_text("[FONT=Courier]" + text.replace(first, f"[B]{starred}[/B]") + "[/FONT]\n")
    log = read_log(wrapped)
    assert log.parsed.header["wrapping"] == "emphasis"
    assert rows(log) == rows(read_log(bare))


def test_lines_that_a_page_emphasises_are_read(tmp_path: Path) -> None:
    bare = LOGS / "iostat" / "extended-times-12.6.1.txt"
    wrapped = tmp_path / "wrapped.txt"
    lines = bare.read_text().splitlines()
    wrapped.write_text("".join(f"    *{line.strip()}*\n" if line else "\n" for line in lines))
    log = read_log(wrapped)
    assert (log.parsed.complete, log.parsed.header["wrapping"]) == (True, "emphasis, indented")
    assert rows(log) == rows(read_log(bare))


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("{% highlight console linenos %}", "{% endhighlight %}"),
        ('{{< highlight bash "linenos=table" >}}', "{{< / highlight >}}"),
    ],
)
def test_lines_in_blocks_of_site_generators_are_read(opening: str, closing: str, tmp_path: Path) -> None:
    bare = LOGS / "vmstat" / "procps-4.0.2.txt"
    lines = bare.read_text().splitlines()
    wrapped = tmp_path / "wrapped.txt"
    wrapped.write_text("\n".join(["Now 7 of 9:", opening, *lines, closing, "Of 9 disks 7 are busy now.", ""]))
    log = read_log(wrapped)
    assert rows(log) == rows(read_log(bare), [at + len(["Now", opening]) for at in range(1, len(lines) + 2)])
    assert (log.parsed.complete, log.parsed.header["wrapping"]) == (True, "highlighted block")


def test_a_paragraph_of_which_the_first_line_alone_is_quoted_is_read(tmp_path: Path) -> None:
    bare = LOGS / "ifconfig" / "imitated-net-tools-1.60.txt"
    wrapped = tmp_path / "wrapped.txt"
    wrapped.write_text(f"> {bare.read_text()}")
    log = read_log(wrapped)
    assert rows(log) == rows(read_log(bare))
    assert (log.parsed.complete, log.parsed.header["wrapping"]) == (True, "quoted mail")


def test_lines_between_single_backticks_are_read(tmp_path: Path) -> None:
    """Two commands of a post, each in a span of several lines; the last one is not closed."""
    bare = (LOGS / "ip_link" / "iproute2-6.1-s.txt").read_text().rstrip("\n")
    wrapped = tmp_path / "wrapped.txt"
    wrapped.write_text(f"**before**\n`{bare} `\n\n**after**\n`{bare}\n")
    log = read_log(wrapped)
    found = list(log.rows("series"))
    half = len(found) // 2
    shift = len(bare.splitlines()) + len(["", "**after**"])
    assert [row["interface"] for row in found[:half]] == [row["interface"] for row in found[half:]]
    assert [row["line"] + shift for row in found[:half]] == [row["line"] for row in found[half:]]
    assert (half > 0, log.parsed.complete, log.parsed.header["wrapping"]) == (True, True, "code span")


@pytest.mark.parametrize("escape", ["\x1b", "", "^[", r"\x1b", r"\033"])
def test_colours_are_no_names_though_their_escape_characters_are_lost(escape: str, tmp_path: Path) -> None:
    bare = LOGS / "ip_link" / "iproute2-6.1-s.txt"
    coloured = tmp_path / "coloured.txt"
    text = re.sub(r"(?m)^(\d: )(\w+: )", r"\1~[36m\2~[0m", bare.read_text())
    coloured.write_text(text.replace("~", escape))
    log = read_log(coloured)
    assert rows(log) == rows(read_log(bare))
    assert (log.parsed.complete, log.parsed.header["wrapping"]) == (True, "terminal")


def test_names_in_which_markdown_escapes_signs_are_read(tmp_path: Path) -> None:
    bare = LOGS / "lfs_getstripe" / "imitated-mirrored.txt"
    wrapped = tmp_path / "wrapped.txt"
    wrapped.write_text(bare.read_text().replace("_", r"\_").replace("[", r"\["))
    log = read_log(wrapped)
    assert log.parsed.header["wrapping"] == "escapes of Markdown"
    assert rows(log) == rows(read_log(bare))


def test_a_log_in_a_string_of_json_gives_the_same_rows(tmp_path: Path) -> None:
    """The line of each value is that of the document."""
    failed = []
    for bare in one_a_format():
        wrapped = tmp_path / bare.name
        wrapped.write_text(json.dumps({"code": 0, "stdout": bare.read_text(errors="replace")}) + "\n")
        lines = len(bare.read_text(errors="replace").split("\n"))
        if rows(read_log(wrapped)) != rows(read_log(bare), [1] * lines):
            failed.append(log_id(bare))
    assert failed == []


@pytest.mark.parametrize(
    "literals",
    [
        "expect(parse('{}\\n' +\n  '{}\\n' +\n  '{}'))",
        'out = (\n  b"{}\\n"\n  b"{}\\n"\n  b"{}\\n"\n)',
        'text = (\n  "{}\\n"\n  "{}\\n{}"\n  "\\n"\n)',
        'thenReturn("{}\\n"\n  + "{}\\n"\n  + "{}"));\n',
        'out("{}\\n"\n  . "{}\\n"\n  . "{}");\n',
        'show("{}"+"\\n");\nshow("{}" + "\\n");\nshow("{}"+"\\n");\n',
        'let text = "{}\\n\\\n{}\\n\\\n{}\\n";\nparse(text);',
        "[INFO] vmstat: {}\\n{}\\n{}\\n",
        'before\n{{"a": "{{\\"out\\": \\"{}\\\\n{}\\\\n{}\\\\n\\"}}"}}',
    ],
)
def test_lines_in_literals_of_programs_are_read(literals: str, tmp_path: Path) -> None:
    lines = (LOGS / "vmstat" / "procps-4.0.2.txt").read_text().splitlines()[:3]
    wrapped, bare = tmp_path / "wrapped.txt", tmp_path / "bare.txt"
    wrapped.write_text(literals.format(*lines) + "\n")
    bare.write_text("\n".join([*lines, ""]))
    log = read_log(wrapped)
    numbers = [next(at for at, one in enumerate(wrapped.read_text().split("\n"), 1) if line in one) for line in lines]
    assert rows(log) == rows(read_log(bare), numbers)
    assert (log.parsed.complete, log.parsed.header["wrapping"].split(", ")[0]) == (True, "string literals")


@pytest.mark.parametrize(
    "literals",
    [
        'SAMPLE = """{}\n{}\n{}\n"""\n',
        "parse(data, '''\n{}\n{}\n{}\n''')\nassert 1 == 2\n",
        "out := `{}\n{}\n{}\n`\nfirst(out, 7)\n",
        "const text = `\n{}\n{}\n{}\n`;\n",
    ],
)
def test_lines_in_literals_of_several_lines_are_read(literals: str, tmp_path: Path) -> None:
    lines = (LOGS / "vmstat" / "procps-4.0.2.txt").read_text().splitlines()[:3]
    wrapped, bare = tmp_path / "wrapped.txt", tmp_path / "bare.txt"
    wrapped.write_text("import vmstat\n" + literals.format(*lines))
    bare.write_text("\n".join([*lines, ""]))
    log = read_log(wrapped)
    numbers = [next(at for at, one in enumerate(wrapped.read_text().split("\n"), 1) if line in one) for line in lines]
    assert rows(log) == rows(read_log(bare), numbers)
    assert log.parsed.complete


@pytest.mark.parametrize(("prefix", "is_read"), [("", True), ("r", False)])
def test_tabs_that_a_literal_of_several_lines_escapes_are_tabs(prefix: str, is_read: bool, tmp_path: Path) -> None:
    text = (LOGS / "iozone" / "throughput_c1_read.log").read_text()
    wrapped = tmp_path / "wrapped.txt"
    wrapped.write_text(f'import iozone\nLOG = {prefix}"""\\\n' + text.replace("\t", r"\t") + '"""\n')
    log = read_log(wrapped)
    assert log.parsed.complete is is_read
    bare = read_log(LOGS / "iozone" / "throughput_c1_read.log")
    begins = wrapped.read_text().split("\n").index(text.split("\n")[0].replace("\t", r"\t"))
    assert (rows(log) == rows(bare, list(range(begins + 1, 999)))) is is_read


def test_a_literal_that_is_cut_makes_its_log_incomplete(tmp_path: Path) -> None:
    wrapped = tmp_path / "wrapped.txt"
    text = (LOGS / "vmstat" / "procps-4.0.2.txt").read_text()
    wrapped.write_text(json.dumps({"stdout": text})[:-40])
    assert not read_log(wrapped).parsed.complete


def test_a_literal_in_a_document_that_says_more_is_not_read(tmp_path: Path) -> None:
    text = (LOGS / "vmstat" / "procps-4.0.2.txt").read_text()
    wrapped = tmp_path / "wrapped.txt"
    wrapped.write_text(json.dumps({"stdout": text, "about": "x" * 2 * len(text)}) + "\n")
    with pytest.raises(ParseError, match="expected a log of one of the"):
        read_log(wrapped)


def test_lines_that_a_person_numbered_are_read(tmp_path: Path) -> None:
    lines = (LOGS / "fio_text" / "imitated-grep-groups-2.txt").read_text().splitlines()
    wrapped = tmp_path / "wrapped.txt"
    kept = [line.strip() for line in lines if "io=" in line]
    wrapped.write_text(
        "With one worker and with two\n" + "".join(f"{at} - {line}\n" for at, line in enumerate(kept, 1))
    )
    log = read_log(wrapped)
    assert log.parsed.header["wrapping"] == "numbered"
    assert [(row["operation"], row["line"]) for row in log.parsed.runs] == [("read", 2), ("write", 3)]


@pytest.mark.parametrize("form", ["            # {}", "#{}", "{} <br />", "<p>{}</p>"])
def test_lines_in_comments_and_paragraphs_are_read(form: str, tmp_path: Path) -> None:
    bare = LOGS / "ior" / "4.1.0dev_shared_file_2_tasks.txt"
    wrapped = tmp_path / "wrapped.txt"
    lines = bare.read_text().splitlines()
    wrapped.write_text("".join(f"{form.format(line).rstrip()}\n" if line else "\n" for line in lines))
    assert rows(read_log(wrapped)) == rows(read_log(bare))


def test_lines_in_comments_may_begin_with_blanks_and_digits(tmp_path: Path) -> None:
    bare = LOGS / "vdbench" / "imitated-5.04.07-console.txt"
    wrapped = tmp_path / "wrapped.txt"
    wrapped.write_text("".join(f"#{line}" for line in bare.read_text().splitlines(keepends=True)))
    assert rows(read_log(wrapped)) == rows(read_log(bare))


@pytest.mark.parametrize("blanks", [2, 3, 4])
def test_an_indented_log_is_read(blanks: int, tmp_path: Path) -> None:
    bare = LOGS / "collectl" / "4.3.1-detail-oT.txt"
    wrapped = tmp_path / "wrapped.txt"
    wrapped.write_text("".join(f"{' ' * blanks}{line}" for line in bare.read_text().splitlines(keepends=True)))
    assert rows(read_log(wrapped)) == rows(read_log(bare))


def test_a_mail_may_have_results_in_its_answer_and_in_what_it_quotes(tmp_path: Path) -> None:
    answer = (LOGS / "hdparm" / "hdparm-9.65-tT-loop.txt").read_text()
    mail = tmp_path / "mail.txt"
    quoted = "".join(f"> > {line}" for line in answer.replace("loop4", "loop5").splitlines(keepends=True))
    mail.write_text(f"{answer}\nThat is what I get now, with the other scheduler.\nAll else is as it was.\n\n{quoted}")
    assert [row["device"] for row in read_log(mail).parsed.runs] == ["/dev/loop4"] * 2 + ["/dev/loop5"] * 2


def kind_of(name: str, line: str) -> prefixes.Kind:
    return next(kind for kind in prefixes.KINDS if kind.name == name and kind.form.match(line))


@pytest.mark.parametrize("blank", [0, 30, 3000])
def test_a_prefix_is_everywhere_whatever_lines_are_empty(blank: int) -> None:
    names, indented = kind_of("names", "host: "), kind_of("indented", "    x")
    for without in range(6):
        for kind, prefix, most in ((names, "host: ", 3), (indented, "    ", 0)):
            text = f"{prefix}1\n" * (100 - without) + "\n" * blank + "2\n" * without
            assert prefixes._is_everywhere(kind, Lines.of(text)) == (without <= most)


@pytest.mark.parametrize(
    ("names", "is_prefix"),
    [("aa", True), ("ab", False), ("aba", False), ("abab", True), ("abca", False), ("aabbcc", True)],
)
def test_names_before_lines_are_a_prefix_where_there_are_at_most_half_as_many(names: str, is_prefix: bool) -> None:
    lines = Lines.of("".join(f"host-{name}: 1\n" for name in names))
    assert any(found.steps == ("names",) for found in prefixes.without(lines, guess=True)) == is_prefix


@pytest.mark.parametrize(("begin", "kind"), [("> ", "quoted mail"), ("(out) ", "documentation")])
@pytest.mark.parametrize(("some", "found"), [(0, 0), (2, 0), (3, 1)])
def test_some_lines_of_a_mail_or_a_page_have_a_prefix_where_there_are_three(
    begin: str, kind: str, some: int, found: int
) -> None:
    lines = Lines.of("this is what I got\n" * 60 + f"{begin}1 2\n" * some + "it is slow\n" * 60)
    assert [one.steps for one in prefixes.without(lines)] == [(kind,)] * found


@pytest.mark.parametrize(
    ("first", "steps"), [("1 2", [("stamped",)]), (" 1 2", [("stamped",), ("stamped", "indented")])]
)
def test_one_blank_more_is_taken_away_where_all_lines_have_it(first: str, steps: list[tuple[str, ...]]) -> None:
    lines = Lines.of(f"Nov 23 10:00:01 {first}\n" + "Nov 23 10:00:01  3 4\n" * 5)
    assert [one.steps for one in prefixes.without(lines) if one.steps[0] == "stamped"] == steps


@pytest.mark.parametrize(("in_front", "wrapping"), [("", "ranks, quoted mail, container log"), ("node-17 | ", None)])
def test_three_prefixes_behind_each_other_are_taken_away_and_not_four(in_front: str, wrapping: str | None) -> None:
    prefix = f"{in_front}[3]: > 2026-11-29T10:00:00.000000000Z stdout F "
    report = "{0}+0 records in\n{0}+0 records out\n{0}000000 bytes ({0}.0 MB) copied, {0}.0 s, 1.0 MB/s\n"
    log = "".join(report.format(n) for n in range(2, 9))
    wrapped = "".join(f"{prefix}{line}" for line in log.splitlines(keepends=True))
    assert parsers.parse(wrapped).header.get("wrapping") == wrapping


def test_a_log_behind_more_than_is_looked_at_first_is_found_at_its_lines() -> None:
    chatter = "the job was submitted and waits\n" * (HEAD * WINDOWS // 32 + 300)
    log = (LOGS / "dccp" / "under-a-second.txt").read_text()
    alone, behind = parsers.read(log, "", "job.out"), parsers.read(chatter + log, "", "job.out")
    assert behind[0] is alone[0]
    lines = [row["line"] for row in alone[1].runs]
    assert [row["line"] for row in behind[1].runs] == [line + chatter.count("\n") for line in lines]


@pytest.mark.parametrize("way", ["buildkite", "cat_n", "comment", "docker_json", "grep_Hn", "srun", "ts_iso"])
@pytest.mark.parametrize("log", ["fio_text/error-enospc-3.33.txt", "root/rntuple-write.log"])
def test_what_stands_before_a_name_is_no_part_of_it(log: str, way: str, tmp_path: Path) -> None:
    """Neither where the reading with it finds more numbers: of a job that fio does not know all is of a process."""
    check_same(LOGS / log, way, tmp_path)


@pytest.mark.parametrize(
    ("log", "way"),
    [
        # sar's tables begin with a time, and its parser reads columns that it does not know
        ("iostat/human-12.6.1.txt", "ts_elapsed"),
        ("iostat/extended-times-12.6.1.txt", "ts_elapsed"),
        ("iostat/imitated-9.0-nfs.txt", "ts_elapsed"),
        # lines of mpstat's tables begin so, and none of its JSON
        ("mpstat/soft-interrupts-12.6.1.json", "cat_n"),
        ("mpstat/soft-interrupts-12.6.1.json", "ts_elapsed"),
        # the other ifstat prints times
        ("ifstat/imitated-iproute2-e.txt", "grep_n"),
        ("ifstat/imitated-iproute2-e.txt", "ts_elapsed"),
        # no blank of mpirun's stands between its mark and lines that begin with one
        ("dstat/imitated-0.8-waits.txt", "mpirun"),
        ("cmssw_timereport/imitated-cmssw-15-memory.txt", "mpirun"),
        # hosts stand before lines of IOzone
        ("iozone/throughput_interrupted_3.508.txt", "grep_n"),
        ("iozone/throughput_interrupted_3.508.txt", "grep_Hn"),
    ],
)
def test_what_lines_of_a_tool_may_begin_with_is_taken_from_those_that_do_not(
    log: str, way: str, tmp_path: Path
) -> None:
    check_same(LOGS / log, way, tmp_path)
