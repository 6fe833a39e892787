"""Texts that a regular expression cannot match without, read from the expression.

Only what is plain is understood: letters, classes, groups, repetitions, alternatives. Whatever is
not (flags, nested classes, escapes by number) gives no answer, and the expression itself is not
judged: whoever leaves texts out by this still lets the engine say what is wrong with it.
"""

from dataclasses import dataclass

_ALTERNATIVES_MAX = 16
DEPTH_MAX = 16

_SPECIAL = frozenset("\\.+*?()|[]{}^$")
_ESCAPED = _SPECIAL | frozenset("#&-~")
# An escape of these is a class, a place or a line end; of punctuation, that sign itself.
_CLASSES = frozenset("bBdDsSwWAzntrfv<>")
# They match letters that are not ASCII too, once case does not count.
_FOLDED_ELSEWHERE = frozenset("ksKS")
_PLAIN_GROUPS = ("(?:", "(?P<", "(?<")

LiteralTexts = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Literals:
    """Every match holds one of these; if `whole`, every line that holds one is a match."""

    texts: tuple[bytes, ...]
    whole: bool
    ignore_case: bool


class _NotPlain(Exception):
    """The expression has something that is not understood here."""


def literals(regex: str, bytes_min: int, *, ignore_case: bool) -> Literals | None:
    """Return the texts that matches hold, each of at least some bytes; None if there are none."""
    if not regex.isprintable():
        return None
    reading = _RegexReader(regex, ignore_case=ignore_case)
    try:
        found = reading.alternatives(0)
    except _NotPlain:
        return None
    if found is None or reading.at < len(regex):
        return None
    texts = tuple(sorted({text.encode("utf-8") for text in found}))
    if min(map(len, texts)) < bytes_min:
        return None
    return Literals(texts, reading.whole, ignore_case)


class _RegexReader:
    """Goes through an expression once; each part says what its matches hold, or None."""

    def __init__(self, regex: str, *, ignore_case: bool) -> None:
        self._regex = regex
        self._ignore_case = ignore_case
        self.at = 0
        self.whole = True

    def alternatives(self, depth: int) -> LiteralTexts | None:
        """Read up to the end of a group, or of all."""
        if depth > DEPTH_MAX:
            raise _NotPlain
        found: list[LiteralTexts | None] = [self._branch(depth)]
        while self._next() == "|":
            self.at += 1
            found.append(self._branch(depth))
        texts = [text for each in found for text in each or ()]
        return None if None in found or len(texts) > _ALTERNATIVES_MAX else tuple(texts)

    def _branch(self, depth: int) -> LiteralTexts | None:
        """Read what stands in a row; the best of what its matches hold."""
        held: list[LiteralTexts] = []
        run = ""
        while (sign := self._next()) not in ("", "|", ")"):
            atom = self._literal(sign)
            group = None
            if atom is None:
                self.whole = False
                group = self._atom(sign, depth)
            least = self._least()
            if atom is not None and least == 1:
                run += atom
                continue
            self.whole = False
            if atom is not None and least:  # once or more often: what follows is another text
                run += atom
            held += [(run,)] if run else []
            run = ""
            held += [group] if group and least else []
        held += [(run,)] if run else []
        return max(held, key=lambda texts: min(map(len, texts)), default=None)

    def _next(self) -> str:
        return self._regex[self.at : self.at + 1]

    def _literal(self, sign: str) -> str | None:
        """Read a sign that stands for itself; None if it does not."""
        if sign == "\\":
            sign = self._regex[self.at + 1 : self.at + 2]
            if not sign or sign in _CLASSES:
                return None
            if sign.isalnum() or not sign.isascii():
                raise _NotPlain
            self.whole = self.whole and sign in _ESCAPED  # the engine may not take others
            width = 2
        elif sign in _SPECIAL:
            return None
        else:
            width = 1
        if self._ignore_case:
            if not sign.isascii() or sign in _FOLDED_ELSEWHERE:
                return None
            sign = sign.lower()
        self.at += width
        return sign

    def _atom(self, sign: str, depth: int) -> LiteralTexts | None:
        """Read anything else: a group, a class, a place."""
        if sign == "(":
            return self._group(depth)
        if sign == "[":
            self._class()
        elif sign == "\\":
            if not self._regex[self.at + 1 :]:
                raise _NotPlain
            self.at += 2
        elif sign in "{}]*+?":
            raise _NotPlain
        else:
            self.at += 1
        return None

    def _group(self, depth: int) -> LiteralTexts | None:
        opening = "("
        if self._regex.startswith("(?", self.at):
            plain = [each for each in _PLAIN_GROUPS if self._regex.startswith(each, self.at)]
            if not plain:
                raise _NotPlain
            opening = plain[0]
        end = self._regex.find(">", self.at) if opening.endswith("<") else self.at
        if end < 0:
            raise _NotPlain
        self.at = end + (1 if opening.endswith("<") else len(opening))
        found = self.alternatives(depth + 1)
        if self._next() != ")":
            raise _NotPlain
        self.at += 1
        return found

    def _class(self) -> None:
        self.at += 2 if self._regex.startswith("[^", self.at) else 1
        if self._next() == "]":
            raise _NotPlain
        while (sign := self._next()) != "]":
            if sign in ("", "["):
                raise _NotPlain
            self.at += 2 if sign == "\\" else 1
        self.at += 1

    def _least(self) -> int:
        """Read how often something stands there: 0 for perhaps not at all, 2 for once or more."""
        sign = self._next()
        if sign not in ("*", "+", "?", "{"):
            return 1
        if sign == "{":
            self.at = self._regex.find("}", self.at)
            if self.at < 0:
                raise _NotPlain
        self.at += 1
        if self._next() == "?":
            self.at += 1
        if self._next() in ("*", "+", "?", "{"):
            raise _NotPlain
        return 2 if sign == "+" else 0
