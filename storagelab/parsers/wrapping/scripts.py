"""Lines that a script prints between what its tools do: dividers, the date, its commands (``set -x``) and their time.

Sources: bash(1) (``set -x``, ``time``), POSIX (``date`` and ``time -p`` in the C locale), script(1), watch(1), srun(1),
GitHub Docs (workflow commands of Actions).
"""

from __future__ import annotations

import re

from storagelab.parsers.wrapping.lines import Lines

_STEP = "script"
_FAILURE = re.compile(
    "error|fail|fatal|kill|cancel|abort|interrupt|terminat|time limit|timed? ?out|not found|denied|warn|no such",
    re.IGNORECASE,
)
"""What a script says of a failure is no such line: it may be why a log is cut."""
_DATE = r"[A-Z][a-z]{2} [A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d (?:[AP]M )?[A-Z+-][A-Z\d]{1,5} \d{4}"
_OF_A_SCRIPT = re.compile(
    r"^[ \t]{0,8}(?:"
    r"(?P<sign>[=#*~<>+-])(?P=sign){2}[^\n]{0,200}"
    r"|(?i:run|iteration|round|trial|repetition|loop)\b ?[#:]? ?\d{1,6}\b[^\n]{0,60}"
    r"|(?i:(?:all )?done|finished)[.!]?"
    r"|(?:Script (?:started|done) on|srun: job \d{1,12}|Every \d{1,9}[.,]\ds:) [^\n]*+"
    rf"|(?:[A-Za-z][^\n]{{0,80}}[ :])?{_DATE}"
    r"|##\[(?:group|endgroup|command|section|debug|notice)\][^\n]*+|shell: /[^\n]{1,80}\{0\}"
    r"|(?P<trace>\+{1,9} )[\w./~-][^\n]*+"
    r"|(?:real|user|sys)[ \t]{1,12}\d{1,9}(?:m\d{1,2}[.,]\d{3}s|[.,]\d\d)"
    r")[ \t\r]*$",
    re.MULTILINE,
)
_RULE = re.compile(r"[ \t]{0,8}([=#*~-])\1{2,}[ \t\r]*")
_PROMPT = "$ "
_SESSION = "Script "
_AROUND_A_SESSION = re.compile(r"Script (?:(?:started|done) on |(?:started|done), ).*")
_SHOWN_OR_LEFT = re.compile(
    r"(?:\[[^\]]{1,80}\]|[^\s$#%>]{0,80}) ?[$#%>] (?:exit|logout|(?:cat|less|more|head|tail) .*)?"
)
"""A prompt at which no tool was run: a file was shown, or the session left."""


def without_script(lines: Lines) -> Lines | None:
    """Leave the lines of a script out, and titles between two rules; None where there are none.

    Nothing takes their place: a blank line would end a table that breaks off above them. A command stands behind a
    prompt then, as if it had been typed.
    """
    if not any(map(_tells_no_failure, _OF_A_SCRIPT.finditer(lines.text))):
        return None
    rules = {place for place, text in enumerate(lines.texts) if _RULE.fullmatch(text)}
    shown = {
        place: found and found["trace"] and _PROMPT + text.lstrip(" \t+")
        for place, text in enumerate(lines.texts)
        if (found := _of_a_script(text)) or {place - 1, place + 1} <= rules
    }
    kept = {place: shown.get(place) or text for place, text in enumerate(lines.texts) if shown.get(place, True)}
    return lines.block(kept, _STEP)


def _of_a_script(text: str) -> re.Match[str] | None:
    found = _OF_A_SCRIPT.fullmatch(text)
    return found if found and _tells_no_failure(found) else None


def _tells_no_failure(found: re.Match[str]) -> bool:
    return not _FAILURE.search(found[0])


def without_session(lines: Lines) -> Lines | None:
    """Leave out what script(1) writes around a session, and prompts that show a file or end it; None without any."""
    if _SESSION not in lines.text:
        return None
    texts = [text.rstrip() for text in lines.texts]
    around = {place for place, text in enumerate(texts) if _AROUND_A_SESSION.fullmatch(text)}
    if not around:
        return None
    around |= {place for place, text in enumerate(texts) if _SHOWN_OR_LEFT.fullmatch(text) or text == "exit"}
    return lines.block({place: text for place, text in enumerate(lines.texts) if place not in around}, _STEP)
