"""YAML as a study needs it: each key once, and the line on which every value stands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from storagelab.errors import SidecarError, naming, shorten
from storagelab.escaping.characters import shown

Steps = tuple[str | int, ...]


DEPTH = 100
"""How many lists and mappings may stand in each other: libyaml has no limit of its own, and a stack has one."""

VALUES = 200_000
"""How many values a file may stand for, an alias as many as its anchor: fifty times what the largest study says."""

_Fast: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml, ten times as fast, is in all wheels of PyYAML


class Loader(_Fast):  # type: ignore[misc]
    """YAML without its dates: a date stays the text that was written."""

    yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in found if tag != "tag:yaml.org,2002:timestamp"]
        for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """Make the value of a node; one that Python cannot make (5,000 digits) is told with its line."""
        try:
            return super().construct_object(node, deep)
        except (ValueError, ArithmeticError, LookupError, TypeError) as error:
            what = str(error).partition(" for integer")[0]
            raise yaml.constructor.ConstructorError(None, None, f"no value: {what}", node.start_mark) from None


def read(path: Path) -> tuple[Any, yaml.Node | None]:
    """Read a YAML file: its value, and its nodes, which know their lines.

    Control, invisible and direction characters are written as escapes; `hidden` says where.

    Raises
    ------
    SidecarError
        If it is missing, is no UTF-8 or no YAML, is nested too deeply, says a key twice, or holds itself; names the
        line.
    """
    try:
        with naming(path):
            text = path.read_bytes().decode("utf-8-sig")
        _refuse_deep(path, text)
        loader = Loader(text)
        tree = loader.get_single_node()
        _refuse(path, tree, (), {})
        _made_visible(tree)
        return (None if tree is None else loader.construct_document(tree)), tree
    except (FileNotFoundError, NotADirectoryError):
        why = ": a study is a folder with a study.yaml" if path.name == "study.yaml" else ""
        raise SidecarError(str(path), f"no such file{why}") from None
    except UnicodeDecodeError as error:
        raise SidecarError(str(path), f"not UTF-8: {error.reason} at byte {error.start}") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = min(mark.line + 1, text.count("\n") + 1) if mark else 0
        found = f" in {shorten(text.splitlines()[line - 1].strip())!r}" if 0 < line <= len(text.splitlines()) else ""
        message = f"not YAML: {getattr(error, 'problem', None) or str(error).splitlines()[0]}{found}"
        raise SidecarError(str(path), message, line) from None


def tree_of(path: Path) -> yaml.Node | None:
    """Nodes of a YAML file that `read` took, for the lines of its values."""
    tree: yaml.Node | None = Loader(path.read_bytes().decode("utf-8-sig")).get_single_node()
    return tree


def hidden(tree: yaml.Node | None) -> list[int]:
    """Lines of a YAML file, by its nodes, on which a text begins that `read` had to write with escapes."""
    return _made_visible(tree)


def _made_visible(tree: yaml.Node | None) -> list[int]:
    """Write what nobody can see in texts as escapes, and return the lines on which these texts begin."""
    found, todo, seen = set(), [tree] if tree else [], set()
    while todo:
        node = todo.pop()
        if id(node) in seen:  # an anchor may be named often
            continue
        seen.add(id(node))
        if isinstance(node, yaml.ScalarNode):
            if node.value != (text := shown(node.value)):
                found.add(node.start_mark.line + 1)
                node.value = text
        elif isinstance(node, yaml.MappingNode):
            todo += [part for pair in node.value for part in pair]
        else:
            todo += node.value
    return sorted(found)


def _refuse_deep(path: Path, text: str) -> None:
    depth = 0
    for event in yaml.parse(text, Loader=Loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEPTH:
            line = event.start_mark.line + 1 if event.start_mark else 0
            raise SidecarError(str(path), f"more than {DEPTH} lists and mappings in each other", line)


def _refuse(path: Path, node: yaml.Node | None, around: tuple[yaml.Node, ...], sizes: dict[int, int]) -> int:
    """Refuse what YAML lets pass, and return how many values a node stands for; `sizes` are those of nodes seen before.

    The last of two equal keys would win; an anchor inside itself has no end; and ten aliases of ten aliases of
    ten, a few lines more, fill any memory.
    """
    if node is None:
        return 0
    if any(node is outer for outer in around):
        raise SidecarError(str(path), "an anchor that holds itself", node.start_mark.line + 1)
    if id(node) not in sizes:
        if isinstance(node, yaml.MappingNode):
            _refuse_doubled(path, node)
        sizes[id(node)] = 1 + sum(_refuse(path, child, (*around, node), sizes) for child in _children(node))
        if sizes[id(node)] > VALUES:
            raise SidecarError(str(path), f"more than {VALUES} values, aliases counted", node.start_mark.line + 1)
    return sizes[id(node)]


def _refuse_doubled(path: Path, node: yaml.MappingNode) -> None:
    seen: dict[str, int] = {}
    for key in (key for key, _ in node.value if isinstance(key, yaml.ScalarNode)):
        line = key.start_mark.line + 1
        if key.value in seen:
            raise SidecarError(str(path), f"{key.value!r} stands here again, first on line {seen[key.value]}", line)
        seen[key.value] = line


def _children(node: yaml.Node) -> Iterator[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        yield from (value for _, value in node.value)
    elif isinstance(node, yaml.SequenceNode):
        yield from node.value


def line_of(node: yaml.Node | None, steps: Steps) -> int:
    """Find the line on which the value at a pydantic location stands."""
    line = node.start_mark.line + 1 if node else 0
    for step in steps:
        child = _child(node, step)
        if child is None:
            break
        line, node = child
    return line


def holds(node: yaml.Node | None, steps: Steps) -> bool:
    """Whether a file has a value at this place."""
    for step in steps:
        child = _child(node, step)
        if child is None:
            return False
        node = child[1]
    return True


def _child(node: yaml.Node | None, step: str | int) -> tuple[int, yaml.Node] | None:
    if isinstance(node, yaml.MappingNode):
        return next(((k.start_mark.line + 1, v) for k, v in node.value if k.value == str(step)), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return node.value[step].start_mark.line + 1, node.value[step]
    return None
