"""What a vault's own `commonplace.toml` may say by itself, and what only once a person trusts it.

A vault may come from elsewhere, with a file that somebody else wrote. By itself that file may make
things stricter, or look different; what widens waits for the person's word. `ROWS` has one row for
each field of `Config`; a field without a row does not count until the vault is trusted.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path

from commonplace.vault.settings import Retention, SuggestionStyle, rule_parts
from commonplace.vault.settings.config_file import Config

_LOOSE = ("suggest", "allow")
_TEXT_MAX = 200


@dataclass(frozen=True, slots=True)
class WiderSetting:
    """A setting that widens: its name, what holds without it, what it asks for, what that does."""

    key: str
    before: str
    after: str
    effect: str

    def __str__(self) -> str:
        text = one_line(f"{self.key} = {self.after}")
        return text if len(text) <= _TEXT_MAX else f"{text[:_TEXT_MAX]}…"


@dataclass(frozen=True, slots=True)
class Person:
    """What the person chose on the command line or in the environment; no file changes that."""

    policies: Mapping[str, str] = field(default_factory=dict[str, str])
    embeddings: bool = False
    store: bool = False


@dataclass(frozen=True, slots=True)
class Split:
    """A vault's file: what counts by itself, and what waits for trust."""

    strict: Config
    widening: tuple[WiderSetting, ...]


SettingRule = Callable[[Config, Path, Person], tuple[object, Iterable[WiderSetting]]]


def split(config: Config, folder: Path, person: Person | None = None) -> Split:
    """Part what counts in any vault from what needs trust; `folder` is where the file lies."""
    values: dict[str, object] = {}
    widening: list[WiderSetting] = []
    for name, row in ROWS.items():
        values[name], wider = row(config, folder, person or Person())
        widening += wider
    return Split(replace(Config(), **values), tuple(widening))


def fingerprint(config: Config, folder: Path) -> str:
    """Return what stands for all that a file means; comments and order do not count.

    The stricter settings are part of it: who trusted `update = "allow"` beside a `deny` for one
    folder has not trusted it without.
    """
    said = {
        each.name: getattr(config, each.name)
        for each in fields(Config)
        if getattr(config, each.name) != getattr(Config(), each.name)
    }
    said["suggestions"] = asdict(config.suggestions)
    wider = [(one.key, one.after) for one in split(config, folder).widening]
    text = json.dumps([said, wider], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def one_line(text: str) -> str:
    """Make text of a vault's file fit for one line, with nothing invisible in it."""
    return "".join(c if c.isprintable() else f"<U+{ord(c):04X}>" for c in text)


def _as_it_is(name: str) -> SettingRule:
    """Return the row of a setting that can only hide things, or change how they look."""
    return lambda config, folder, person: (getattr(config, name), ())


def _store(config: Config, folder: Path, person: Person) -> tuple[object, list[WiderSetting]]:
    named = config.store.get("url", "")
    if named in ("", "vault"):
        return config.store, []
    effect = "the graph tools work on that store, and what your vault holds may be sent there"
    return {}, [] if person.store else [WiderSetting("store", "the vault itself", named, effect)]


def _embeddings(config: Config, folder: Path, person: Person) -> tuple[object, list[WiderSetting]]:
    named = config.embeddings
    if named in (None, "local", "none"):
        return named, []
    effect = "the text of your notes is sent there, and your key for embeddings if you set one"
    wider = WiderSetting("embeddings", "local", str(named), effect)
    return None, [] if person.embeddings else [wider]


def _roots(config: Config, folder: Path, person: Person) -> tuple[object, list[WiderSetting]]:
    kept: list[tuple[str, str]] = []
    wider: list[WiderSetting] = []
    for name, where in config.roots:
        real = real_root(folder, where)
        if _plainly_inside(real, Path(os.path.realpath(folder))):
            kept.append((name, where))
        else:
            effect = "the notes of a folder outside this vault, or hidden in it, are served too"
            wider.append(WiderSetting(f"roots {name}", "left out", str(real), effect))
    return tuple(kept), wider


def real_root(folder: Path, where: str) -> Path:
    """Return the folder that a root of the file means, with every symbolic link followed."""
    return Path(os.path.realpath(folder / where))


def _plainly_inside(real: Path, folder: Path) -> bool:
    return real.is_relative_to(folder) and not any(
        part.startswith(".") for part in real.relative_to(folder).parts
    )


def _suggestions(config: Config, folder: Path, person: Person) -> tuple[object, list[WiderSetting]]:
    style, plain = config.suggestions, SuggestionStyle().author
    if style.author == plain:
        return style, []
    effect = "suggestions of assistants are shown under this name"
    wider = WiderSetting("suggestions author", plain, style.author, effect)
    return SuggestionStyle(plain, style.metadata), [wider]


def _policies(config: Config, folder: Path, person: Person) -> tuple[object, list[WiderSetting]]:
    """Keep a loose rule only where one of the person's always matches too: the strictest counts."""
    kept: dict[str, str] = {}
    wider: list[WiderSetting] = []
    for rule, policy in config.policies.items():
        if policy not in _LOOSE or any(_covers(own, rule) for own in person.policies):
            kept[rule] = policy
        else:
            wider.append(WiderSetting(f"policy {rule}", "ask", policy, _freedom(rule, policy)))
    return kept, wider


def _covers(own: str, rule: str) -> bool:
    operation, folder, actor = rule_parts(rule)
    mine, inside, who = rule_parts(own)
    return mine in ("*", operation) and inside in ("", folder) and who in ("", "*", actor)


def _freedom(rule: str, policy: str) -> str:
    operation, folder, actor = rule_parts(rule)
    what = "create, update, delete and rename" if operation == "*" else operation
    where = f" in {folder}" if folder else ""
    who = actor if actor not in ("", "*") else "assistants"
    how = "as suggestions, " if policy == "suggest" else ""
    return f"{who} may {what} notes{where} {how}without asking you"


def _history(config: Config, folder: Path, person: Person) -> tuple[object, list[WiderSetting]]:
    usual = Retention()
    if config.history is None:
        return None, []
    days, room = config.history
    if days >= usual.days and room >= usual.megabytes:
        return config.history, []
    effect = "older revisions of your notes are deleted sooner"
    before, after = (f"{d} days, {m} MB" for d, m in ((usual.days, usual.megabytes), (days, room)))
    return None, [WiderSetting("history", before, after, effect)]


ROWS: dict[str, SettingRule] = {
    "history": _history,
    "embeddings": _embeddings,
    "roots": _roots,
    "suggestions": _suggestions,
    "policies": _policies,
    "tools": _as_it_is("tools"),  # all are offered, unless the file names some
    "read_only": _as_it_is("read_only"),
    "ignore": _as_it_is("ignore"),
    "always_load": _as_it_is("always_load"),  # how tools are shown, not which there are
    "attachments": _as_it_is("attachments"),  # a folder inside the vault
    "store": _store,
}
