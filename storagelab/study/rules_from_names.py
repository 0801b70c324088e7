"""Rules for study.yaml that are read from file names: words between signs, numbers behind the letters that name them.

Logs whose names have the same parts in the same order share a rule. A part that differs among them becomes a named
group: ``n08`` is the key that n stands for, ``4k`` a size with its unit, ``6.8`` a version, a word that the field knows
its key. What nobody knows becomes a column that is ignored until its reason, or its key, is written there.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter

from storagelab import schema, units
from storagelab.study.study_yaml import Rule

NUMBERS: Mapping[str, str] = {
    "n": "nodes", "node": "nodes", "nodes": "nodes", "c": "clients", "cl": "clients", "cli": "clients",
    "client": "clients", "clients": "clients", "p": "processes", "np": "processes", "proc": "processes",
    "procs": "processes", "ppn": "processes_per_node", "j": "jobs", "job": "jobs", "jobs": "jobs", "nj": "jobs",
    "numjobs": "jobs", "r": "repeat", "rep": "repeat", "run": "repeat", "repeat": "repeat", "q": "queue_depth",
    "qd": "queue_depth", "iodepth": "queue_depth", "depth": "queue_depth", "sc": "stripe_count",
    "stripes": "stripe_count", "it": "iteration", "iter": "iteration", "round": "round", "day": "day",
    "bs": "record_size", "xfer": "record_size", "rec": "record_size", "size": "file_size", "fs": "file_size",
    "ss": "stripe_size", "seg": "segments",
}  # fmt: skip
"""Letters before a number -> the key that they mostly stand for."""

HOSTS: Mapping[str, str] = {"node": "host", "host": "host", "client": "client"}
"""Letters before a number with a zero in front -> the key whose levels are such names: ``node01`` is no one node."""

UNITS: Mapping[str, str] = {"k": "KiB", "m": "MiB", "g": "GiB", "t": "TiB"}
"""Letter behind a size -> its unit, as IOzone, IOR and fio take it."""

WORDS: Mapping[str, Mapping[str, str]] = {
    "filesystem": dict.fromkeys((
        "ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "tmpfs", "lustre", "nfs", "glusterfs", "gluster", "ceph",
        "cephfs", "beegfs", "gpfs", "orangefs", "pvfs", "hdfs", "daos", "moosefs", "ocfs2", "gfs2", "overlay",
    ), "") | {"gluster": "glusterfs"},
    "operation": dict.fromkeys(schema.OPERATIONS, "") | {
        "randread": "random_read", "randwrite": "random_write", "seqread": "read", "seqwrite": "write", "rd": "read",
        "wr": "write", "randrw": "mixed_workload",
    },
    "tool": dict.fromkeys(
        ("fio", "ior", "iozone", "mdtest", "fileop", "dd", "iperf3", "xrdcp", "elbencho", "dbench"), ""
    ),
    "server_mode": dict.fromkeys(("bare-metal", "virtual", "namespace"), "") | {"bare": "bare-metal", "vm": "virtual"},
    "file_mode": {"fpp": "file-per-process", "ssf": "shared-file", "shared": "shared-file"},
}  # fmt: skip
"""Key -> words that are its levels, and how the contract spells them where it spells them otherwise."""

_SIGNS = re.compile(r"([/_.\-+=,@ ]+)")
_VERSION = re.compile(r"(?<![^/_\-+=,@ ])v?\d+(?:\.\d+)+(?![^/_\-+=,@ ])")
"""Numbers between other signs than the dots that join them: ``6.8``, but neither of ``ior.4.16``."""
_JOINED = "\0"
_SIZE = re.compile(r"(?i)([a-z]*?)(\d+)([kmgt])(?:i?b)?")
_NUMBER = re.compile(r"([A-Za-z]*)(\d+)")


@dataclass(slots=True)
class Proposal:
    """A rule for some logs, and what its groups need beside it.

    Attributes
    ----------
    regex : str
    columns : dict
        Named group -> what study.yaml says of it.
    logs : sequence of str
        What it covers.
    """

    regex: str
    columns: dict[str, Mapping[str, object]]
    logs: Sequence[str]
    keys: list[str] = field(default_factory=list)

    def groups(self, path: str) -> Mapping[str, str]:
        """What the named groups take from the path of one of its logs."""
        return Rule(regex=self.regex).match([path])[0] or {}


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a name: letters that name a number, the number, the letter of its unit; or a word alone."""

    prefix: str
    number: str
    unit: str

    @property
    def kind(self) -> tuple[str, bool, bool]:
        """What parts must share to stand in one place of a rule."""
        return (self.prefix.lower() if self.number else "", bool(self.number), bool(self.unit))

    @property
    def text(self) -> str:
        """The part as it was written."""
        return self.prefix + self.number + self.unit


def proposed(paths: Sequence[str]) -> list[Proposal]:
    """Propose rules for logs that nothing covers, those of the most logs first.

    Parameters
    ----------
    paths : sequence of str
        Below the folder of the study.
    """
    shapes: dict[tuple[object, ...], list[str]] = defaultdict(list)
    for path in paths:
        signs, parts = _cut(path)
        shapes[(*signs, *(part.kind for part in parts))].append(path)
    return [_proposal(logs) for logs in sorted(shapes.values(), key=len, reverse=True)]


def _cut(path: str) -> tuple[list[str], list[_Part]]:
    """Cut a path at its signs; the suffix of the file stays one of them."""
    stem, dot, suffix = path.rpartition(".")
    if not dot or "/" in suffix:
        stem, dot, suffix = path, "", ""
    pieces = _SIGNS.split(_VERSION.sub(lambda version: version[0].replace(".", _JOINED), stem))
    return [*pieces[1::2], dot + suffix], [_part(piece.replace(_JOINED, ".")) for piece in pieces[::2]]


def _part(piece: str) -> _Part:
    if found := _SIZE.fullmatch(piece):
        return _Part(found[1], found[2], piece[found.end(2) :])
    if (found := _NUMBER.fullmatch(piece)) and not _is_word(piece):
        return _Part(found[1], found[2], "")
    return _Part(piece, "", "")


def _is_word(piece: str) -> bool:
    """Whether a word that ends in a digit is one: ext4, iperf3."""
    return any(piece.lower() in words for words in WORDS.values())


def _proposal(logs: Sequence[str]) -> Proposal:
    cut = [_cut(path) for path in logs]
    signs = cut[0][0]
    made = Proposal("", {}, logs)
    pieces: list[str] = []
    for place, sign in enumerate(signs):
        parts = [parts[place] for _, parts in cut]
        pieces += [_piece(parts, made), re.escape(sign)]
    made.regex = "".join(pieces).replace(r"\-", "-").replace(r"\ ", " ").replace(r"\=", "=").replace(r"\,", ",")
    return made


def _piece(parts: Sequence[_Part], made: Proposal) -> str:
    """Write one place of a rule: a named group where something is known or differs, else what always stands there."""
    first, texts = parts[0], {part.text for part in parts}
    if first.number:
        return _number(parts, made)
    key, words = _key_of_words({part.prefix.lower() for part in parts})
    if key and key not in made.keys and (key != "tool" or len(texts) > 1):
        name = _group(made, key, {"key": key, **({"words": words} if words else {})}, needed=bool(words))
        made.keys.append(key)
        return rf"(?P<{name}>{_any_of(texts)})"
    if len(texts) == 1:
        return re.escape(first.text)
    return rf"(?P<{_unknown(made)}>{_any_of(texts)})"


def _any_of(texts: set[str]) -> str:
    return "|".join(map(re.escape, sorted(texts))).replace(r"\-", "-") if len(texts) <= 6 else r"[^/_]+"


def _number(parts: Sequence[_Part], made: Proposal) -> str:
    prefix, units_ = parts[0].prefix, sorted({part.unit for part in parts})
    numbers = {part.number for part in parts}
    host, is_name = HOSTS.get(prefix.lower(), ""), any(number.startswith("0") and number != "0" for number in numbers)
    if host and is_name and units_ == [""] and host not in made.keys:
        made.keys.append(host)
        return rf"(?P<{host}>{prefix}\d+)"
    key = NUMBERS.get(prefix.lower(), "record_size" if units_ != [""] and not prefix else "")
    head, tail = re.escape(prefix), re.escape(units_[0])
    if len(units_) > 1:
        return head + _sizes(parts, key, made)
    if not key or key in made.keys:
        if len(numbers) == 1:
            return head + next(iter(numbers)) + tail
        return rf"{head}(?P<{_unknown(made, prefix)}>\d+){tail}"
    made.keys.append(key)
    unit = _unit(units_[0]) if units_[0] else ""
    sized = schema.field(key).unit == "B"
    said: dict[str, object] = {"key": key, **({"unit": unit or "B"} if sized else {})}
    name = _group(made, f"{key}_{unit.lower()}" if unit else key, said, needed=bool(unit))
    return rf"{head}(?P<{name}>\d+){tail}"


def _sizes(parts: Sequence[_Part], key: str, made: Proposal) -> str:
    """Write sizes of several units, ``64k`` and ``1m``: words, each with its bytes."""
    sizes = {part.number + part.unit: int(part.number) * round(units.factor(_unit(part.unit), "B")) for part in parts}
    words = {text: str(size) for text, size in sorted(sizes.items(), key=itemgetter(1, 0))}
    texts = "|".join(words)
    if not key or key in made.keys or schema.field(key).unit != "B":
        return rf"(?P<{_unknown(made, parts[0].prefix)}>{texts})"
    made.keys.append(key)
    return rf"(?P<{_group(made, key, {'key': key, 'unit': 'B', 'words': words}, needed=True)}>{texts})"


def _unit(letters: str) -> str:
    return UNITS[letters[:1].lower()]


def _key_of_words(found: set[str]) -> tuple[str, Mapping[str, str]]:
    """Find the key of which all words are levels, and how those are spelled that the contract spells otherwise."""
    for key, words in WORDS.items():
        if found <= words.keys():
            return key, {word: words[word] for word in sorted(found) if words[word]}
    return "", {}


def _group(made: Proposal, name: str, said: Mapping[str, object], *, needed: bool) -> str:
    if needed:
        name = f"{name}_word" if name in schema.FIELDS else name
        made.columns[name] = said
    return name


def _unknown(made: Proposal, prefix: str = "") -> str:
    number = 1 + sum("part" in name for name in made.columns)
    name = f"{re.sub(r'[^A-Za-z]', '', prefix).lower()}_part{number}".lstrip("_")
    made.columns[name] = {"ignore": "not known: write `key:` and the key that it is, or why it is none"}
    return name


def lines(proposals: Sequence[Proposal]) -> Iterator[str]:
    """Write proposals as they can stand in study.yaml."""
    columns = {name: said for one in proposals for name, said in one.columns.items()}
    if columns:
        yield "columns:"
        for name, said in columns.items():
            yield f"  {name}: {_flow(said)}"
    yield "match:"
    for one in proposals:
        yield f"  # {len(one.logs)} log{'s' * (len(one.logs) > 1)}, such as {one.logs[0]}"
        yield f"  - regex: '{one.regex.replace(chr(39), chr(39) * 2)}'"


def _flow(said: Mapping[str, object]) -> str:
    def written(value: object) -> str:
        if isinstance(value, Mapping):
            return "{" + ", ".join(f"{name}: {written(word)}" for name, word in value.items()) + "}"
        text = str(value)
        return f'"{text}"' if ":" in text or text.isdigit() else text

    return "{" + ", ".join(f"{name}: {written(value)}" for name, value in said.items()) + "}"
