"""XML as ``sadf -x`` prints it, turned into the records that its JSON would hold."""

from __future__ import annotations

from storagelab.parsers.model import Parsed
from storagelab.parsers.monitors.sysstat.document import fill, hosts_of
from storagelab.parsers.monitors.sysstat.json_tree import Record
from storagelab.parsers.xml import Element, documents


def read_xml(text: str, parsed: Parsed) -> Parsed:
    """Read every document into `series`.

    Raises
    ------
    ParseError
        If no document holds a sample, or one declares entities.
    """
    roots = []
    for document in documents(text, "sysstat"):
        roots.append(_root(document.root))
        if document.error:
            parsed.incomplete(document.error, document.line)
    return fill(parsed, hosts_of(roots))


def _root(element: Element) -> Record:
    sysstat, root = Record(element.line), Record(element.line)
    sysstat.put("hosts", [_host(host) for host in element.children if host.tag == "host"], element.line)
    root.put("sysstat", sysstat, element.line)
    return root


def _host(element: Element) -> Record:
    host = _record(element, below=False)
    samples = [_sample(sample) for part in element.children if part.tag == "statistics" for sample in part.children]
    host.put("statistics", samples, element.line)
    return host


def _sample(element: Element) -> Record:
    """Hold the time, which XML has in attributes, beside the sections, as JSON does."""
    sample = _record(element)
    stamp = Record(element.line)
    for name, text in element.attributes.items():
        stamp.put(name, text, element.line)
        sample.pop(name, None)
    sample.put("timestamp", stamp, element.line)
    return sample


def _record(element: Element, below: bool = True) -> Record:
    """Hold attributes and plain elements as values, the other elements as lists of records."""
    record = Record(element.line)
    record.is_closed = True
    for name, text in element.attributes.items():
        record.put(name, text, element.line)
    lists: dict[str, list[Record]] = {}
    for child in element.children:
        if child.text and not child.attributes and not child.children:
            record.put(child.tag, child.text, child.line)
        elif below:
            lists.setdefault(child.tag, []).append(_record(child))
    for tag, records in lists.items():
        record.put(tag, records, records[0].line)
    return record
