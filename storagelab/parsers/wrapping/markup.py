"""What terminals and documents put around a log: escape sequences, lines written over each other, fences, HTML, mail.

Sources: ECMA-48 (control sequences), xterm's ctlseqs (OSC), CommonMark 0.31 (fenced code blocks, code spans,
strong emphasis), the HTML standard (``pre``, character references), RFC 2045 (quoted-printable), the manuals of Jekyll
and Hugo (``highlight``).
"""

from __future__ import annotations

import html
import quopri
import re
import string
from collections.abc import Callable, Iterator

from storagelab.parsers.wrapping.lines import Lines
from storagelab.parsers.wrapping.literals import (
    LISTED,
    in_lists,
    in_literals,
    in_raw_literals,
    is_cut_document,
    may_hold_lines,
)

TERMINAL = "terminal"
"""The step that takes away what only a terminal heeds."""

_ESCAPE = re.compile(
    r"\x1b\[[0-?]{0,64}[ -/]{0,8}[@-~]|\x1b[\]PX^_][^\x07\x1b\n]{0,2000}(?:\x07|\x1b\\)"
    r"|\x1b[ -/]{0,8}[0-~]|[\x07\x0e\x0f]"
)
_LOST_ESCAPE = re.compile(r"(?:\^\[|\\(?:x1b|033|e)|\u241b|(?!))?+\[(?:\d{1,3}(?:;\d{1,3}|(?!)){0,8}+|(?!))?+m(?!s\b)")
"""A colour whose escape character a page left out, or shows as ``^[``; ``[0ms - 53ms]`` are times."""
_END_OF_COLOUR = "[0m"
_BACKSPACE = re.compile(r"[^\x08\n]\x08")
_HUNK = re.compile(r"^@@ -\d{1,9}(?:,\d{1,9})? \+\d{1,9}(?:,(?P<lines>\d{1,9}))? @@", re.MULTILINE)
_FENCE = re.compile(r"^ {0,12}(?:[-*+>] )?(`{3,}|~{3,})")
_TAGS = ("{%", "{{<", "{{%", "\\begin{", "{noformat", "{code", "{{{", "#+begin_", "#+BEGIN_")
"""What the tags of blocks begin with: of site generators, of LaTeX, of wikis, of Org."""
_BEGIN_TAGS = "{\\#"
"""The characters with which they begin: none of them is in most logs, and one is found faster than nine tags."""
_IN_LATEX = r"\{(?:[vV]erbatim|lstlisting|minted|alltt)\*?\}"
_BLOCKS = tuple(
    (re.compile(rf"\s{{0,12}}{opening}"), re.compile(rf"\s{{0,12}}{closing}"))
    for opening, closing in (
        (r"\{(?:%-?|\{[<%]) {0,3}highlight (?!.*endhighlight)", r"\{(?:%-? {0,3}end|\{[<%] {0,3}/ {0,3})highlight\b"),
        (rf"\\begin{_IN_LATEX}", rf"\\end{_IN_LATEX}"),
        (r"\{(?:noformat|code)(?::[^}\n]{0,80})?\}\s*$", r"\{(?:noformat|code)\}"),
        (r"\{\{\{\s*$", r"\}\}\}\s*$"),
        (r"#\+(?i:begin)_(?i:example|src|quote)\b", r"#\+(?i:end)_"),
    )
)
"""What opens a block of a log, and what closes it."""
_OPENING = re.compile(r"<(pre|samp|textarea|code|system-(?:out|err))\b[^<>\n]{0,500}>", re.IGNORECASE)
"""Elements of HTML that keep line ends, and those in which JUnit reports what a test printed."""
_CDATA = re.compile(r"<!\[CDATA\[|\]\]>")
_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,500}>")
_ROW = re.compile(r"(?:(?<!\S)\d[\d.:,%]{0,19}[ \t]{1,20}){3}")
"""Three numbers beside each other, of which a log may be that somebody left outside of an element."""
_OF_PARAGRAPHS = r"</?(?:p|br|li|div|span)(?: [^<>\n]{0,200})?/?> ?"
_AROUND = re.compile(rf"^\s{{0,20}}(?:{_OF_PARAGRAPHS})+(?=[^<\n])| ?(?:{_OF_PARAGRAPHS}){{1,9}}$", re.IGNORECASE)
_EMPHASIS = re.compile(r"(?<!\*)\*\*(?=[^\s*])([^*\n]{0,80}\d[^*\n]{0,80})(?<=[^\s*])\*\*(?!\*)")
_ITALIC = re.compile(r"^([ \t]*)\*(?=[^\s*])([^*\n]{1,300})(?<=\S)\*[ \t]*$", re.MULTILINE)
"""A line of which all is emphasised."""
_FEWEST_ITALIC = 3
_BBCODE = re.compile(r"\[/?(?:B|I|U|CODE|COLOR|FONT|INDENT|QUOTE|SIZE)(?:=[^\[\]\n]{0,40})?\]", re.IGNORECASE)
_ESCAPED = re.compile(r"(?<!\\)\\([_*\[\]#<>~|])")
"""Signs that would be Markdown's; a backslash in front of a letter is a path's."""
_BAR = re.compile(r"[^%|]{0,80}\d{1,3}%\|[^|]{0,200}\|[^|]{0,100}")
"""``70%|#######   | 7/10 [00:03<00:01]``, as tqdm draws it."""
_UNBROKEN = "\u00a0\u2007\u202f"
_PLAIN = re.compile(f"[{_UNBROKEN}]")
_ADJACENT = re.compile(r"\S[^\S\n]*\n[^\S\n]*\S")
_ENOUGH_LINES, _MOST = 3, 0.6
"""Of how few lines nothing is told, and the share of them that must have what stands on all."""
_SIGNS = (_END_OF_COLOUR, *_UNBROKEN, *"\r\x1b\x07\x08<`~", "@@ -", LISTED, '"""', "'''", *_TAGS)
_PAIRS = [re.compile(pair) for pair in (r"\*[*\n]", r"\[/", r"\\[_*\[n\n]", r"=(?:3D|\n|20\n)")]
"""Each begins with a character that is found many times as fast as two."""
_BEGIN_PAIRS = "*[\\="
"""The characters with which they begin."""
_IN_NO_SIGN = (string.ascii_letters + string.digits + " \n\t.,:;/%()_-#").encode()
"""Characters of which most logs are made; what is looked for has another one each."""
_GOES_ON = re.compile(r"^.{59,75}(?<!=)=$", re.MULTILINE)
"""A line that mail broke: it has at most 76 characters, and is no rule of equals signs."""


def may_be_in(text: str) -> bool:
    """Whether a text has any of the characters without which nothing here is in it, or no two lines together."""
    if not _ADJACENT.search(text) and text.count("\n") > _ENOUGH_LINES:
        return True
    if text.isascii() and not text.encode().translate(None, _IN_NO_SIGN):
        return False
    if any(map(text.__contains__, _SIGNS)):
        return True
    return any(map(text.__contains__, _BEGIN_PAIRS)) and any(pair.search(text) for pair in _PAIRS)


def without_lost_escapes(lines: Lines) -> Lines | None:
    """Take colours away whose escape characters are lost; None where there are none."""
    if _END_OF_COLOUR not in lines.text or "\x1b" in lines.text:
        return None
    texts = [_LOST_ESCAPE.sub("", text) for text in lines.texts]
    return lines.shown(texts, TERMINAL) if texts != list(lines.texts) else None


def with_plain_blanks(lines: Lines) -> Lines | None:
    """Write blanks that a page or a word processor does not break as plain ones."""
    if not any(blank in lines.text for blank in _UNBROKEN):
        return None
    return lines.shown((_PLAIN.sub(" ", text) for text in lines.texts), "unbroken blanks")


def without_hard_breaks(lines: Lines) -> Lines | None:
    """Take away the backslash that ends most lines: CommonMark's break of a line."""
    if "\\\n" not in lines.text:
        return None
    filled = [text for text in lines.texts if text.strip()]
    if len(filled) < _ENOUGH_LINES or sum(text.endswith("\\") for text in filled) < _MOST * len(filled):
        return None
    return lines.shown((text.removesuffix("\\") for text in lines.texts), "hard breaks")


def singly_spaced(lines: Lines) -> Lines | None:
    """Leave out the empty line behind each line, as a log has that became paragraphs."""
    if _ADJACENT.search(lines.text):
        return None
    kept: dict[int, str] = {}
    empty: list[int] = []
    for place, text in enumerate(lines.texts):
        if text.strip():
            kept |= dict.fromkeys(empty[: (len(empty) - 1) // 2], "") | {place: text}
            empty = []
        else:
            empty.append(place)
    return lines.block(kept, "empty lines") if len(kept) >= _ENOUGH_LINES else None


def without_escapes(lines: Lines) -> Lines | None:
    """Take colours, titles and bells away; None where there are none."""
    text = lines.text
    if "\x1b" not in text and "\x07" not in text and "\x08" not in text:
        return None
    return lines.shown((_without_controls(text) for text in lines.texts), TERMINAL)


def _without_controls(text: str) -> str:
    text = _ESCAPE.sub("", text)
    while "\x08" in text and (shorter := _BACKSPACE.sub("", text)) != text:
        text = shorter
    return text


def overwritten(lines: Lines) -> Lines | None:
    """Leave of lines that were written over what was written last; None where there are none."""
    if "\r" not in lines.text:
        return None
    shown = map(_shown, lines.texts)
    return lines.without(shown, "carriage returns", everywhere=False, foreign=False, sure=True)


def _shown(text: str) -> str:
    """Return what was written last of a line that was written several times."""
    if "\r" not in text:
        return text
    said = [part for part in text.split("\r") if part.strip()]
    return said[-1] if said else ""


def without_bars(lines: Lines) -> Lines | None:
    """Take bars of progress away over which a line was written; None where there are none."""
    if "%|" not in lines.text or "\r" not in lines.text:
        return None
    return lines.shown(map(_without_bars, lines.texts), "bars of progress")


def _without_bars(text: str) -> str:
    if "\r" not in text or "%|" not in text:
        return text
    return "\r".join(part for part in text.split("\r") if not _BAR.fullmatch(part))


def returns_as_ends(lines: Lines) -> Lines | None:
    """Take carriage returns for ends of lines, where no other ends of lines are; None where there are any.

    A text that begins with one is that of a tool which goes back to the beginning of its line before it writes.
    """
    if len(lines.texts) != 1 or lines.texts[0].count("\r") < 2 or lines.texts[0].startswith("\r"):
        return None
    return Lines.of(lines.texts[0].replace("\r", "\n"), "carriage returns")


def quoted_printable(lines: Lines) -> Lines | None:
    """Read a mail as it was written: ``=3D`` is a sign, a line that ends in ``=`` goes on; None where none does.

    A text with escape characters is none: they would be written as signs, too (RFC 2045, section 6.7).
    """
    whole_text = lines.text
    if "\x1b" in whole_text:
        return None
    goes_on = ("=\n" in whole_text or whole_text.endswith("=")) and _GOES_ON.search(whole_text)
    if "=3D" not in whole_text and "=20\n" not in whole_text and not goes_on:
        return None
    kept: list[int] = []
    texts: list[str] = []
    rests: dict[int, int] = {}
    is_rest = False
    for place, text in enumerate(lines.texts):
        whole = text.removesuffix("\r")
        if is_rest:
            texts[-1] += whole.removesuffix("=")
            rests[lines.numbers[place]] = lines.numbers[kept[-1]]
        else:
            kept.append(place)
            texts.append(whole.removesuffix("="))
        is_rest = whole.endswith("=")
    decoded = (quopri.decodestring(text.encode()).decode(errors="replace") for text in texts)
    return lines.chosen(kept).shown(decoded, "quoted-printable").with_rests(rests)


def fenced(lines: Lines) -> Lines | None:
    """Leave what stands between Markdown's fences; None where there are none."""
    whole = lines.text
    if "```" not in whole and "~~~" not in whole:
        return None
    kept: dict[int, str] = {}
    open_fence = ""
    for place, text in enumerate(lines.texts):
        found = _FENCE.match(text)
        if not open_fence and found:
            open_fence = found[1]
        elif found and found[1].startswith(open_fence) and not text[found.end() :].strip():
            open_fence = ""
        elif open_fence:
            kept[place] = text
    return lines.block(kept, "fenced block")


def highlighted(lines: Lines) -> Lines | None:
    """Leave what stands in blocks of code that are no Markdown's; None where there are none."""
    whole = lines.text
    if not any(map(whole.__contains__, _BEGIN_TAGS)) or not any(map(whole.__contains__, _TAGS)):
        return None
    kept: dict[int, str] = {}
    ends: re.Pattern[str] | None = None
    for place, text in enumerate(lines.texts):
        if not ends:
            ends = next((closing for opening, closing in _BLOCKS if opening.match(text)), None)
        elif ends.match(text):
            ends = None
        else:
            kept[place] = text
    return lines.block(kept, "highlighted block")


def in_differences(lines: Lines) -> Lines | None:
    """Leave the lines of files that a unified difference adds or shows around; None where there is none."""
    if "@@ -" not in lines.text or not _HUNK.search(lines.text):
        return None
    kept: list[int] = []
    left = 0
    for place, text in enumerate(lines.texts):
        if hunk := _HUNK.match(text):
            left = int(hunk["lines"] or 1)
        elif left and text[:1] in ("+", " "):
            kept.append(place)
            left -= 1
    return lines.chosen(kept).shown((lines.texts[place][1:] for place in kept), "difference")


def in_code_spans(lines: Lines) -> Lines | None:
    """Take the single backticks away between which several lines stand; None where there are none.

    Who wants a block and knows code spans alone writes so. A span whose end is lost goes on to the end of the text.
    """
    texts = list(lines.texts)
    lone = [place for place, text in enumerate(texts) if "`" in text and text.count("`") == 1]
    opening = next((place for place in lone if _begins_span(texts[place])), None)
    if opening is None:
        return None
    while opening is not None:
        texts[opening] = texts[opening].replace("`", "")
        closing = next((place for place in lone if place > opening), len(texts))
        if closing < len(texts) and texts[closing].rstrip().endswith("`"):
            texts[closing] = texts[closing].rstrip().removesuffix("`")
            closing += 1
        opening = next((place for place in lone if place >= closing and _begins_span(texts[place])), None)
    return lines.shown(texts, "code span")


def _begins_span(text: str) -> bool:
    return text.lstrip().startswith("`") and bool(text.strip("` \t;,)"))


def emphasised(lines: Lines) -> Lines | None:
    """Take Markdown's stars away around numbers and lines, and the tags of forums; None where there are none."""
    text = lines.text
    is_italic = "*\n" in text and len(_ITALIC.findall(text)) >= _FEWEST_ITALIC
    has_some = ("**" in text and _EMPHASIS.search(text)) or ("[/" in text and _BBCODE.search(text))
    if not (is_italic or has_some):
        return None
    texts = [_ITALIC.sub(r"\1\2", line) for line in lines.texts] if is_italic else lines.texts
    return lines.shown((_BBCODE.sub("", _EMPHASIS.sub(r"\1", line)) for line in texts), "emphasis")


def unescaped(lines: Lines) -> Lines | None:
    r"""Take the backslashes away that Markdown wants before its signs: ``r\_await``; None where there are none."""
    if "\\" not in lines.text or not _ESCAPED.search(lines.text):
        return None
    return lines.shown((_ESCAPED.sub(r"\1", line) for line in lines.texts), "escapes of Markdown")


def preformatted(lines: Lines) -> Lines | None:
    """Leave what stands in elements that keep their line ends, without tags; None where there are none."""
    if "<" not in lines.text or not _OPENING.search(lines.text):
        return None
    kept: list[int] = []
    texts: list[str] = []
    closing: re.Pattern[str] | None = None
    for place, text in enumerate(lines.texts):
        inside: list[str] = []
        at = 0
        while True:
            if closing is None:
                opening = _OPENING.search(text, at)
                if not opening:
                    break
                at, closing = opening.end(), re.compile(rf"</{opening[1]}\s*>", re.IGNORECASE)
            end = closing.search(text, at)
            inside.append(text[at : end.start() if end else len(text)])
            if not end:
                break
            at, closing = end.end(), None
        if inside:
            kept.append(place)
            is_cut = closing is not None and place == len(lines.texts) - 1
            texts.append(html.unescape(_without_tags(_CDATA.sub("", "".join(inside)), is_cut)))
    return lines.chosen(kept).shown(texts, "HTML") if kept else None


def with_text_around(lines: Lines, inside: Lines) -> Lines | None:
    """Take tags away and leave what stands around the elements; None where no rows of numbers stand there."""
    kept = set(inside.numbers)
    around = (text for number, text in zip(lines.numbers, lines.texts, strict=True) if number not in kept)
    if not any(map(_ROW.search, around)):
        return None
    return lines.shown((html.unescape(_TAG.sub("", text)) for text in lines.texts), "HTML")


def _without_tags(text: str, is_cut: bool) -> str:
    """Take tags away; where a text breaks off behind tags alone, they stay, for more of the line followed."""
    shown = _TAG.sub("", text)
    return shown if shown.strip() or not is_cut else text


def paragraphs(lines: Lines) -> Lines | None:
    """Take tags of paragraphs and line ends away, in front of lines and behind them; None where there are none."""
    whole = lines.text
    if "<" not in whole or not any(_AROUND.search(text) for text in lines.texts if "<" in text):
        return None
    return lines.shown((_AROUND.sub("", text) for text in lines.texts), "HTML")


def taken_away(plain: Lines, reads_returns: Callable[[], bool], is_unread: Callable[[], bool]) -> Iterator[Lines]:
    """Yield lines as a terminal or a page shows them, step by step; a page also with the text around its elements.

    What stands in front of a carriage return stays where the tool's parser reads it too. What a document quotes that
    is cut is not looked at where something else was read.
    """
    if not may_be_in(plain.text):
        return
    if listed := in_lists(plain):
        yield listed
    lines = plain
    for step in (
        returns_as_ends,
        in_differences,
        without_bars,
        quoted_printable,
        without_escapes,
        without_lost_escapes,
        highlighted,
        preformatted,
        paragraphs,
        with_plain_blanks,
        fenced,
        singly_spaced,
        without_hard_breaks,
        in_code_spans,
        in_raw_literals,
        emphasised,
        in_literals,
        in_literals,
        unescaped,
        overwritten,
    ):
        if step is overwritten and reads_returns():
            continue
        if step is in_literals and may_hold_lines(lines.text) and not is_unread() and is_cut_document(lines.text):
            continue
        if changed := step(lines):
            if step is preformatted and (around := with_text_around(lines, changed)):
                yield around
            lines = changed
            yield lines
