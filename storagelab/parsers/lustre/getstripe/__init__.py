"""``lfs getstripe``: how files are striped over OSTs; plain, composite and mirrored layouts; ``lfs getdirstripe``.

Nothing is measured here: a row of `series` a component of a file gives `stripe_count`, `stripe_size`, `stripe_offset`,
`striping` (the pattern) and, as `target`, the pool of OSTs it is bound to; one an object its OST (`target`) and its
identifier (`metric` "objid"). `replicas` is the number of mirrors. Where a component begins and ends, how it is
compressed, and how many components a file has, are rows with `metric`. The stripes of a directory over MDTs have no
size. A log of one plain layout has stripe size and count in its header too: what holds for the whole log.

Lustre 1.8 prints a file's objects alone, 2.1 no `lmm_layout_gen`, 2.5 no `lmm_pattern`, 2.10 no mirrors. From 2.10 on
two blanks stand behind `lmm_stripe_count`, where three stood before: there, pattern and generation are printed too.
"""

from __future__ import annotations

import re

from storagelab.parsers.declared_checks import Checks, Line, words
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.lustre.getstripe.layouts import Layouts
from storagelab.parsers.lustre.getstripe.lines import DIRECTORY, SHORT, TABLE, is_damaged, joined, take
from storagelab.parsers.model import Format, Parsed, Row, columns
from storagelab.parsers.text import is_left_out, without_prefix
from storagelab.schema import LINE_OF, line_of

CHECKS = Checks(
    together=(
        (
            *words("lmm_stripe_count:"),
            Line("lmm_stripe_size:", r"lmm_(?:stripe|extension)_size:", "_size:"),
            Line("lmm_stripe_offset:", r"lmm_(?:stripe_offset|mdt_index):", "lmm_"),
        ),
        words("lcme_id:", "lcme_flags:", "lcme_extent.e_start:", "lcme_extent.e_end:"),
        words("lcm_layout_gen:", "lcm_entry_count:"),
    ),
    alike=(
        words("lmm_stripe_count:", "lmm_layout_gen:", "lmm_pattern:"),
        words("lcme_id:", "lcme_mirror_id:"),
        words("lcm_layout_gen:", "lcm_mirror_count:"),
    ),
    below=(
        words("lcm_mirror_count:", "lcme_mirror_id:"),
        (
            Line("lmm_stripe_count:", r"lmm_stripe_count:  (?! )", "lmm_stripe_count:", "literal"),
            *words("lmm_pattern:", "lmm_layout_gen:"),
        ),
    ),
)

FORMAT = Format(
    name="lfs-getstripe",
    tool="lfs getstripe",
    versions="Lustre 1.8 to 2.17",
    reads="plain and composite layouts, mirrors, directories' defaults, --yaml; getdirstripe",
    source="lustre/utils/liblustreapi.c (llapi_lov_dump_user_lmm, lmv_...); Lustre manual, Managing File Layout",
    marks=("stripe", "obdidx"),
    opens=(
        "lmm_stripe_count:",
        "lcm_layout_gen:",
        "stripe_count:",
        "lmv_stripe_count:",
        "obdidx ",
    ),
    checks=CHECKS,
)

_OF_SOME = re.compile(r"getstripe [^\n]{0,200}?(?:-I|-O|-i |--component-|--mirror-|--obd|--ost)")
"""A command that asks for some components, or for objects on some OSTs, only."""


def sniff(head: str) -> bool:
    """Whether a stripe count and a stripe size of a layout stand here, or a table of objects."""
    if "stripe_count:" in head:
        is_long = "lmm_stripe_count:" in head and "lmm_stripe_size:" in head
        return is_long or bool(SHORT.search(head)) or any(map(DIRECTORY.match, head.split("\n")))
    return "obdidx" in head and TABLE.search(head) is not None


def parse(text: str) -> Parsed:
    """Read every layout.

    Raises
    ------
    ParseError
        If there is none.
    """
    parsed = Parsed({"tool": "lfs getstripe"})
    layouts = Layouts()
    *lines, rest = text.split("\n") if SHORT.match(text.lstrip()) else without_prefix(text.split("\n"))
    for at, end, line in joined(lines, parsed):
        if is_left_out(line):
            parsed.incomplete("lines were left out here", at)
            continue
        try:
            take(layouts, line, at, end)
        except ValueError:
            parsed.incomplete(f"expected a number, found {line.strip()!r}", at)
        if is_damaged(line):
            parsed.incomplete("the line is damaged", at)
    parsed.cut_line(rest, len(lines) + 1)
    _say_what_lacks(layouts, parsed, text)
    has_table = bool(layouts.objects and layouts.objects_to_come)
    if not (layouts.components or layouts.directories or has_table):
        raise refusal("a layout ('lmm_stripe_count: ...') or its objects", text)
    _add_keys(layouts.components, parsed)
    parsed.series = columns([*layouts.components, *layouts.directories, *layouts.extents, *layouts.objects])
    return parsed


def _say_what_lacks(layouts: Layouts, parsed: Parsed, text: str) -> None:
    """Say which layouts lack their stripe size, a component, or the name of a file."""
    for component in layouts.components:
        if not component.pop("is_whole", False) and "stripe_size" not in component:
            parsed.incomplete("the layout has no stripe size", int(component["line"]))
    lacking = [("components", *item) for item in layouts.components_to_come.items()]
    lacking += [("objects", *item) for item in layouts.objects_to_come.items()]
    for what, at, count in lacking:
        if count > 0 and not _OF_SOME.search(text):
            parsed.incomplete(f"expected as many {what} as the layout has, found {count} less", at)
    for at in layouts.nameless:
        parsed.incomplete("expected the name of a file before its layout, found another layout", at)
    if layouts.mirror_not_counted:
        parsed.note("expected 'lcm_mirror_count:' above 'lcme_mirror_id:', found none", layouts.mirror_not_counted)
    if layouts.components and not layouts.components[0]["file"]:
        parsed.note("expected the name of a file before its layout, found none", int(layouts.components[0]["line"]))


def _add_keys(components: list[Row], parsed: Parsed) -> None:
    """Give the log the stripes of its only layout."""
    if len(components) == 1:
        only = components[0]
        stripes = [name for name in ("stripe_size", "stripe_count") if name in only]
        parsed.header |= {name: only[name] for name in stripes}
        parsed.header |= {LINE_OF[name]: line_of(only, name) for name in stripes}
