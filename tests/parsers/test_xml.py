"""The XML reader that all XML formats share: lines, cuts, and documents that mean harm."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storagelab.errors import ParseError
from storagelab.parsers.xml import DEPTH, Document, Element, _Reader, documents
from tests.work import Scanned

WHOLE = """<?xml version="1.0"?>
<report>
 <file id="1"
       size="12"/>
 <file id="2">  a.root
 </file>
 <host><name>oss1</name></host>
</report>
"""

BOMB = """<?xml version="1.0"?>
<!DOCTYPE report [
 <!ENTITY a "aaaaaaaaaa">
 <!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
]>
<report>&b;</report>
"""


def only(text: str) -> Document:
    (document,) = documents(text, "report")
    return document


def tags(element: Element) -> list[str]:
    return [below.tag for below in element.all()]


def test_elements_come_with_attributes_text_and_the_line_they_begin_on() -> None:
    root = only(WHOLE).root
    assert [(file.line, file.attributes, file.text) for file in root.all("file")] == [
        (3, {"id": "1", "size": "12"}, ""),
        (5, {"id": "2"}, "a.root"),
    ]
    assert tags(root) == ["file", "file", "host", "name"]
    name = root.first("name")
    assert name
    assert name.text == "oss1"
    assert name.line == 7
    assert root.first("nothing") is None


def test_whole_document_has_no_error() -> None:
    assert only(WHOLE).error == ""
    assert only(WHOLE).root.closed


def test_cut_document_gives_what_came_before_and_says_so() -> None:
    for end in range(WHOLE.index("<report>") + 8, WHOLE.index("</report>") + 8):
        document = only(WHOLE[:end])
        assert document.error, WHOLE[:end]
        assert not document.root.closed, WHOLE[:end]
        assert tags(document.root) == tags(only(WHOLE).root)[: len(tags(document.root))], WHOLE[:end]
        assert {below.text for below in document.root.all()} <= {"", "a.root", "oss1"}, WHOLE[:end]


def test_lines_hold_over_chunks_lone_carriage_returns_and_letters_of_several_bytes() -> None:
    filler = "<x>\u00e9\r</x>\n" * 20_000
    document = only("junk\n" + f"<report>\n{filler}<file/></report>\n")
    file = document.root.first("file")
    assert file
    assert file.line == 20_003
    assert not document.error


def test_namespaces_are_taken_off() -> None:
    root = only('<n:report xmlns:n="http://a.b/c"><n:file n:id="1"/></n:report>').root
    assert root.tag == "report"
    assert [file.attributes for file in root.all("file")] == [{"id": "1"}]


@pytest.mark.parametrize("junk", ["ssh: warning & <b>\n\n", "190: ", "\ufeff", "<?xml version='1.0'?>\n190: "])
def test_junk_around_a_document_does_not_matter(junk: str) -> None:
    document = only(f"{junk}{WHOLE}tail & <tail>\n")
    assert not document.error
    assert tags(document.root) == tags(only(WHOLE).root)
    file = document.root.first("file")
    assert file
    assert file.line == 3 + junk.count("\n")


@pytest.mark.parametrize("prologue", ["", '<?xml version="1.0" encoding="ISO-8859-1"?>\n'])
@pytest.mark.parametrize("cut", ["", "<file", "<file id='1", "<file id='1'>12", "</rep"])
def test_each_document_of_a_log_is_read_even_behind_a_cut_one(prologue: str, cut: str) -> None:
    first = (
        f"{prologue}<report><file id='0'/>\n{cut}" if cut else f"{prologue}<report>\n<file id='0'/></report>\n\u00e9"
    )
    found = list(documents(first + "\n" + WHOLE, "report"))
    assert [bool(document.error) for document in found] == [bool(cut), False]
    assert found[1].root.line == first.count("\n") + 3
    assert tags(found[1].root) == tags(only(WHOLE).root)


def test_many_documents_take_work_in_proportion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Reader, "CHUNK", 256)
    looked_through = []
    for count in (100, 200):
        text = Scanned(WHOLE * count)
        assert [found.root.line for found in documents(text, "report")] == [2 + 8 * at for at in range(count)]
        looked_through.append(text.characters)
    assert looked_through[1] < 2.05 * looked_through[0]


@pytest.mark.parametrize(
    "declaration",
    [
        '<!ENTITY a "b">',
        '<!ENTITY % a "b">',
        '<!ENTITY a SYSTEM "file:///etc/passwd">',
        '<!ENTITY % a SYSTEM "http://127.0.0.1:9/a.dtd"> %a;',
        '<!NOTATION n SYSTEM "n"><!ENTITY a SYSTEM "x.gif" NDATA n>',
    ],
)
def test_entity_declarations_are_refused(declaration: str) -> None:
    with pytest.raises(ParseError, match=r"log:2: expected XML without entity declarations, which are refused"):
        list(documents(f"<!DOCTYPE report [\n{declaration}]>\n<report/>", "report"))


def test_entity_bomb_is_refused() -> None:
    with pytest.raises(ParseError, match=r"log:3: .*refused, found .*EntitiesForbidden"):
        list(documents(BOMB, "report"))


def test_entity_bomb_behind_a_whole_document_is_refused() -> None:
    with pytest.raises(ParseError, match=r"log:11: .*EntitiesForbidden"):
        list(documents(WHOLE + BOMB, "report"))


@pytest.mark.parametrize(
    "doctype", ['SYSTEM "{0}"', 'PUBLIC "DTD v3.9 sysstat //EN" "{0}"', "[<!ELEMENT report (file)*>]"]
)
def test_doctype_is_read_over_and_never_fetched(doctype: str, tmp_path: Path) -> None:
    dtd = tmp_path / "report.dtd"
    dtd.write_text('<!ENTITY a "fetched">')
    text = f"<?xml version='1.0'?><!DOCTYPE report {doctype.format(dtd.as_uri())}>\n<report><file>{{}}</file></report>"
    assert tags(only(text.format("12")).root) == ["file"]
    assert not only(text.format("12")).error
    undeclared = only(text.format("1&a;2"))
    assert "undefined entity" in undeclared.error
    assert [file.text for file in undeclared.root.all("file")] == [""]


def test_deep_nesting_is_refused() -> None:
    assert not only("<report>" + "<a>" * (DEPTH - 1) + "</a>" * (DEPTH - 1) + "</report>").error
    with pytest.raises(ParseError, match=f"elements nested at most {DEPTH} deep, found 'a'"):
        list(documents("<report>" + "<a>" * 100_000, "report"))


@given(st.text(st.sampled_from("<>/report =\"'&;!?[]ENTITYxml\n\r\u00e9\ud800"), max_size=60))
def test_any_text_gives_documents_or_a_parse_error(text: str) -> None:
    try:
        found = list(documents(f"<report>{text}<report a='1'/>", "report"))
    except ParseError:
        return
    assert found
    assert found[0].root.line == 1
