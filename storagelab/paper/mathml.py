r"""Formulas in prose: a small part of TeX as MathML Core, which browsers draw without a script or a font of ours.

What is known stands in the tables below; anything else is refused by name, and nothing is guessed. The elements are
those of MathML Core (https://www.w3.org/TR/mathml-core/); the commands mean what The TeXbook, chapters 16 to 18 and
appendix B, and LaTeX say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from html import escape, unescape

from storagelab.errors import PaperError, nearest
from storagelab.escaping import markdown

_GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi "
    "omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega varepsilon vartheta varphi"
)
GREEK = dict(zip(_GREEK.split(), "αβγδϵζηθικλμνξπρστυϕχψωΓΔΘΛΞΠΣΥΦΨΩεϑφ", strict=True))
OPERATORS: Mapping[str, str] = {
    "cdot": "⋅", "times": "×", "div": "÷", "pm": "±", "mp": "∓", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥",
    "ne": "≠", "neq": "≠", "ll": "≪", "gg": "≫", "approx": "≈", "sim": "∼", "equiv": "≡", "propto": "∝", "to": "→",
    "rightarrow": "→", "in": "∈", "notin": "∉", "subset": "⊂", "cup": "∪", "cap": "∩", "mid": "∣", "ldots": "…",
    "dots": "…", "cdots": "⋯", "partial": "∂", "forall": "∀", "exists": "∃", "lfloor": "⌊", "rfloor": "⌋",
    "lceil": "⌈", "rceil": "⌉", "{": "{", "}": "}",
}  # fmt: skip
NAMED: Mapping[str, str] = {"infty": "∞", "ell": "ℓ", "emptyset": "∅", "%": "%", "#": "#", "&": "&", "_": "_"}
FUNCTIONS = ("log", "ln", "exp", "sin", "cos", "tan", "var", "cov", "Pr")
BIG: Mapping[str, str] = {"sum": "∑", "prod": "∏"}
LIMITS = ("min", "max", "lim", "sup", "inf")
"""What has its limits above and below; a browser sets those of sums beside them within a line."""
SPACES: Mapping[str, str] = {
    "~": "0.33em", ",": "0.17em", ":": "0.22em", ";": "0.28em", " ": "0.33em", "quad": "1em", "qquad": "2em",
}  # fmt: skip
ACCENTS: Mapping[str, str] = {
    "bar": "¯", "overline": "¯", "hat": "^", "tilde": "~", "vec": "→", "dot": "˙", "ddot": "¨",
}  # fmt: skip
WORDS = ("text", "mathrm", "operatorname")
FENCES: Mapping[str, str] = {"(": "(", ")": ")", "[": "[", "]": "]", "|": "|", ".": ""} | {
    f"\\{name}": OPERATORS[name] for name in ("{", "}", "lfloor", "rfloor", "lceil", "rceil")
}
SIGNS: Mapping[str, str] = {"-": "−", "*": "∗", "'": "′"}

ROOT = "\\sqrt"

_TOKEN = re.compile(r"\\(?:[A-Za-z]+|.)|\d+(?:[.,]\d+)*|\s+|.", re.DOTALL)
_NOT_IN_FORMULAS = "%&#"
_MATH = re.compile(r'<math\b[^<>]* alttext="([^"]*)"[^<>]*>(?:(?!</?math\b).|(?!))*+</math>', re.DOTALL)
_FORMULA = re.compile(
    r"(?<!\\)\$\$(?P<block>[^$]+)\$\$"
    r"|\\\[(?P<bracketed>(?:(?!\\[][]|\n\n).|(?!))++)\\\]"
    r"|\\\((?P<round>(?:(?!\\[()]|\n\n).|(?!))++)\\\)"
    r"|(?<![\\\w$])\$(?P<inline>[^\s$](?:[^$\n]*[^\s$\\])?)\$(?![\w$])",
    re.DOTALL,
)


def formulas(text: str, problem: Callable[[str], object]) -> str:
    r"""Put MathML in place of the formulas of a text.

    Parameters
    ----------
    text : str
        Markdown; a formula stands between ``$`` and ``$`` or ``\(`` and ``\)``, one with a line for itself between
        ``$$`` and ``$$`` or ``\[`` and ``\]``.
    problem : callable
        Is told of each formula that cannot be written, which is then left out.
    """

    def written(match: re.Match[str]) -> str:
        tex = next(filter(None, match.groups()))
        try:
            return mathml(tex, block=bool(match["block"] or match["bracketed"]))
        except PaperError as refusal:
            problem(str(refusal))
            return ""

    return _FORMULA.sub(written, text)


def mathml(tex: str, *, block: bool = False) -> str:
    r"""Write a formula as MathML, as Markdown lets it pass.

    Parameters
    ----------
    tex : str
        Letters, numbers, signs, ``^``, ``_``, braces, and the commands of this module.
    block : bool
        Whether it has a line for itself.

    Raises
    ------
    PaperError
        If it holds a command that is not known, or is not whole.

    Examples
    --------
    >>> mathml(r"\bar x")
    '<math alttext="&#92;bar x"><mover accent="true"><mi>x</mi><mo>¯</mo></mover></math>'
    """
    tex = " ".join(unescape(tex).split())
    if re.search(r"(?<!\\)\{\{", tex):
        raise PaperError(f"TeX {tex!r}: '{{{{' begins a fact, which stands outside formulas; braces stand apart")
    reader = _Reader(tex)
    body = "".join(reader.row())
    if reader.token:
        raise reader.refused(f"{reader.token!r} closes nothing")
    said = "".join(f"&#{ord(sign)};" if sign in "\\{}|[]$*_`&" else escape(sign) for sign in tex)
    display = ' display="block"' if block else ""
    return f'<math{display} alttext="{said}">{body}</math>'


def in_tex(html: str, written: Callable[[str], str], formula: str = "{}") -> str:
    """Write HTML whose formulas are told by their TeX: `written` makes text of what stands between them."""
    pieces = _MATH.split(html)
    pieces[::2] = map(written, pieces[::2])
    pieces[1::2] = [formula.format(unescape(tex)) for tex in pieces[1::2]]
    return "".join(pieces)


class _Reader:
    """Goes through the tokens of one formula; blanks mean nothing."""

    def __init__(self, tex: str) -> None:
        self.tex = tex
        self.tokens = _TOKEN.findall(tex)
        self.place = 0
        self._skip()

    def _skip(self) -> None:
        while self.place < len(self.tokens) and self.tokens[self.place].isspace():
            self.place += 1

    @property
    def token(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def take(self) -> str:
        token = self.token
        self.place += 1
        self._skip()
        return token

    def refused(self, why: str) -> PaperError:
        return PaperError(f"TeX {self.tex!r}: {why}")

    def row(self, until: tuple[str, ...] = ("}", "\\right")) -> Iterator[str]:
        """Elements up to what ends them, which is left."""
        while self.token and self.token not in until:
            yield self._scripted()

    def _scripted(self) -> str:
        """Read an element with what stands below and above it."""
        limits = self.token.removeprefix("\\") in (*BIG, *LIMITS) and self.token.startswith("\\")
        base = "<mrow></mrow>" if self.token in ("^", "_") else self._atom()
        scripts: dict[str, str] = {}
        while self.token in ("^", "_", "'"):
            if (sign := self.take()) in scripts or (sign == "'" and "^" in scripts):
                raise self.refused(f"two {sign!r} behind each other")
            scripts["^" if sign == "'" else sign] = "<mo>′</mo>" if sign == "'" else self._argument(sign)
        if not scripts:
            return base
        low, high = ("under", "over") if limits else ("sub", "sup")
        name = "m" + "".join(word for sign, word in (("_", low), ("^", high)) if sign in scripts)
        return f"<{name}>{base}{scripts.get('_', '')}{scripts.get('^', '')}</{name}>"

    def _argument(self, of: str) -> str:
        if not self.token or self.token in ("}", "^", "_", "\\right"):
            raise self.refused(f"{of!r} lacks what belongs to it")
        return self._atom()

    def _atom(self) -> str:
        token = self.take()
        if token == "{":
            return self._group()
        if token.startswith("\\") or token == "~":
            return self._command(token.removeprefix("\\"))
        if token[0].isdigit():
            return _leaf("mn", token)
        if token in _NOT_IN_FORMULAS:
            raise self.refused(f"{token!r} has no place in a formula; \\{token} prints it")
        if token.isalpha():
            return _leaf("mi", token)
        fence = ' stretchy="false"' if token in "()[]|" else ""
        return _leaf("mo", SIGNS.get(token, token), fence)

    def _group(self) -> str:
        inner = list(self.row())
        if self.take() != "}":
            raise self.refused("'{' is not closed")
        return inner[0] if len(inner) == 1 else f"<mrow>{''.join(inner)}</mrow>"

    def _command(self, name: str) -> str:
        for known, element in (
            (GREEK, "mi"), (NAMED, "mi"), (OPERATORS, "mo"), (BIG, "mo"),
        ):  # fmt: skip
            if name in known:
                return _leaf(element, known[name])
        if name in FUNCTIONS or name in LIMITS:
            return _leaf("mi", name)
        if name in SPACES:
            return f'<mspace width="{SPACES[name]}"></mspace>'
        if name in ACCENTS:
            return f'<mover accent="true">{self._argument(name)}<mo>{ACCENTS[name]}</mo></mover>'
        if name in WORDS:
            return self._words(name)
        if name in _OTHERS:
            return _OTHERS[name](self)
        raise self.refused(f"unknown command {chr(92) + name!r}{nearest(name, COMMANDS)}")

    def _words(self, name: str) -> str:
        """Take what stands in the braces as text, blanks included."""
        if self.place >= len(self.tokens) or self.tokens[self.place] != "{":
            raise self.refused(f"{chr(92) + name!r} lacks its braces")
        if "}" not in self.tokens[self.place :]:
            raise self.refused("'{' is not closed")
        end = self.tokens.index("}", self.place)
        words = self.tokens[self.place + 1 : end]
        if odd := [word for word in words if word.startswith(("\\", "{")) or word in _NOT_IN_FORMULAS]:
            raise self.refused(f"{odd[0]!r} in the text of {chr(92) + name!r}")
        self.place = end + 1
        self._skip()
        return _leaf("mtext", "".join(words).replace(" ", "\u00a0"))

    def _fraction(self) -> str:
        above, below = self._argument("\\frac"), self._argument("\\frac")
        return f"<mfrac>{above}{below}</mfrac>"

    def _root(self) -> str:
        if self.token != "[":
            return f"<msqrt>{self._argument(ROOT)}</msqrt>"
        self.take()
        degree = "".join(self.row(until=("]", "}")))
        if self.take() != "]":
            raise self.refused("'[' is not closed")
        return f"<mroot>{self._argument(ROOT)}<mrow>{degree}</mrow></mroot>"

    def _fenced(self) -> str:
        left = self._fence("\\left")
        inner = "".join(self.row())
        if self.token != "\\right":
            raise self.refused("'\\left' has no '\\right'")
        self.take()
        right = self._fence("\\right")
        return f"<mrow>{left}{inner}{right}</mrow>"

    def _fence(self, of: str) -> str:
        if (sign := self.take()) not in FENCES:
            raise self.refused(f"{of!r} of {sign!r}: expected one of {' '.join(FENCES)}")
        return _leaf("mo", FENCES[sign], ' stretchy="true"') if FENCES[sign] else ""


_OTHERS: Mapping[str, Callable[[_Reader], str]] = {
    "frac": _Reader._fraction,
    "sqrt": _Reader._root,
    "left": _Reader._fenced,
}
COMMANDS = (*GREEK, *OPERATORS, *NAMED, *FUNCTIONS, *BIG, *LIMITS, *SPACES, *ACCENTS, *WORDS, *_OTHERS)
"""Names of all commands that are known."""


def _leaf(element: str, text: str, more: str = "") -> str:
    return f"<{element}{more}>{markdown.literal(text)}</{element}>"
