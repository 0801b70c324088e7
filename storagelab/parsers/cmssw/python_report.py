"""WMCore's framework job report as its agents write it in Python: an assignment a line.

``FrameworkJobReport.cmsRun1.performance.cpu.TotalJobCPU = '2.06669'``: the name of the report, sections, and a value;
``FrameworkJobReport.cmsRun1.section_('performance')`` makes a section. Printed by WMCore's Configuration.py
(ConfigSection), sections filled by FwkJobReport/Report.py. Names are those of the report as JSON (`fwjr`), but for the
times of a step (``startTime``, ``stopTime``), the host, and files, which are sections ``file0``, ``file1``, ... here.
Lines may stand in any order.
"""

from __future__ import annotations

import ast
import re

from storagelab.parsers.cmssw.json_places import Node, Scalar

_ASSIGNED = re.compile(r"^[> \t]{0,20}([A-Za-z_]\w{0,80})((?:\.\w{1,120}){1,20}) ?= ?(.{0,4000})$", re.MULTILINE)
_OPENING = re.compile(
    r"^[> \t]{0,20}[A-Za-z_]\w{0,80}(?:\.\w{1,80}){0,3}\.performance\.(?:cpu|memory|storage)\.\w{1,80} ?= ?\S",
    re.MULTILINE,
)
_STEP = re.compile(r"'(\w{1,80})'")
_DEEPEST = 20
_CALLED = {"startTime": "start", "stopTime": "stop"}


def sniff(text: str) -> bool:
    """Whether a value of a step's performance is assigned here."""
    return ".performance." in text and _OPENING.search(text) is not None


def read(text: str) -> tuple[Node, str]:
    """Return the report as it would stand in JSON, each value with its line, and what is wrong with it.

    A last line without its end is not trusted.
    """
    text, _, rest = text.rpartition("\n")
    root, line, end = Node(1, closed=True), 1, 0
    for found in _ASSIGNED.finditer(text):
        line += text.count("\n", end, found.start())
        end = found.start()
        *sections, name = found[2][1:].split(".")
        _section(root, sections, line).put(name, _value(found[3].strip()), line)
    listed = root.text("steps") if "steps" in root.values else ""
    missing = [name for name in _STEP.findall(listed) if not isinstance(root.values.get(name), Node)]
    return _as_json(root), f"the step is missing: {missing[0]}" if missing else "the last line is cut" if rest else ""


def _section(root: Node, sections: list[str], line: int) -> Node:
    """Return a section, which is made where nothing was assigned in it yet."""
    node = root
    for name in sections[:_DEEPEST]:
        below = node.values.get(name)
        if not isinstance(below, Node):
            below = Node(line, closed=True)
            node.put(name, below, line)
        node = below
    return node


def _value(printed: str) -> Scalar:
    """Read a number, a text, a truth or None; lists and dictionaries, in which nothing was measured, are text."""
    try:
        value = ast.literal_eval(printed)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return printed
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    return float(value) if isinstance(value, int | float) else printed


def _as_json(root: Node) -> Node:
    """Move the steps, their times and their files to where the report as JSON has them."""
    report, steps = Node(root.line, closed=True), Node(root.line, closed=True)
    for name, section in root.nodes():
        step = Node(section.line, closed=True)
        for key, value in section.values.items():
            moved = _files(value) if isinstance(value, Node) and key in ("input", "output") else value
            step.put(_CALLED.get(key, key), moved, section.lines[key])
        steps.put(name, step, section.line)
    report.put("steps", steps, root.line)
    about = Node(root.line, closed=True)
    if root.text("hostName"):
        about.put("host", root.text("hostName"), root.lines["hostName"])
    report.put("meta_data", about, about.line)
    return report


def _files(node: Node) -> Node:
    """Return the sources or modules of a step, each as a list of its files."""
    found = Node(node.line, closed=True)
    for name, source in node.nodes():
        files = Node(source.line, is_array=True, closed=True)
        for label, file in source.node("files").nodes():
            files.put(label, file, file.line)
        found.put(name, files, source.line)
    return found
