"""A note as the rows that are put into the database: pure, the same for both uses."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from commonplace.core import links, paths
from commonplace.core.digest import Digest
from commonplace.core.frontmatter import body
from commonplace.core.markdown.properties import tags as listed_tags
from commonplace.vault.nodes import link_names
from commonplace.vault.nodes.link_names import LinkTargets, Mention, Name

PROPERTIES_MAX = 200
PROPERTY_CHARS_MAX = 10_000

_LARGEST = 2**63

Row = dict[str, object]


def owned(id: str, found: Digest, revision: str, modified: int) -> Row:
    """Return the row of a node that lives in the database."""
    content = body(found.text)
    front = found.text[: len(found.text) - len(content)]
    properties = cast("dict[str, object]", json.loads(found.frontmatter))
    row = _row(id, found.title, content, found.tags, properties, modified)
    cast("Row", row["set"]).update(
        key=paths.collision_key(id),
        frontmatter=front,
        revision=revision,
        faults=faults(properties, found.fault),
    )
    row["names"] = [_name(each) for each in link_names.names(found)]
    row["mentions"] = [_mention(*each) for each in enumerate(link_names.mentions(found))]
    return row


def mirrored(
    id: str,
    title: str,
    content: str,
    tags: Sequence[str],
    properties: Mapping[str, object],
    modified: int,
    fingerprint: str,
) -> Row:
    """Return the row of a note whose file is elsewhere."""
    row = _row(id, title, content, tags, properties, modified)
    cast("Row", row["set"]).update(fingerprint=fingerprint)
    return {**row, "names": [], "mentions": []}


def linked(id: str, outgoing: LinkTargets) -> Row:
    """Return the row of a note's links."""
    rows = [
        {"id": target, "order": order, "kinds": kinds}
        for order, (target, kinds) in enumerate(outgoing.targets.items())
    ]
    return {"id": id, "links": rows, "broken": outgoing.broken}


def tag_pairs(tags: Iterable[str]) -> list[Row]:
    """Return each tag with the one that it is nested in, for all that are."""
    found: dict[str, Row] = {}
    for tag in tags:
        while "/" in tag:
            parent = tag.rpartition("/")[0]
            if not parent:
                break
            found[links.fold(tag)] = {
                "key": links.fold(tag),
                "name": tag,
                "parent_key": links.fold(parent),
                "parent_name": parent,
            }
            tag = parent
    return list(found.values())


def folder_pairs(folders: Iterable[str]) -> list[Row]:
    """Return each folder with the one that it lies in."""
    found = {path for folder in folders for path in ancestors(folder)}
    return [{"path": path, "parent": paths.parent(path)} for path in sorted(found) if path]


def ancestors(path: str) -> list[str]:
    """Return a folder, or a tag, and all that it lies in, the deepest first."""
    found: list[str] = []
    while path:
        found.append(path)
        path = path.rpartition("/")[0]
    return found


def faults(properties: Mapping[str, object], fault: str | None) -> list[str]:
    """Say what is amiss in a note by itself."""
    found: list[str] = []
    seen: set[str] = set()
    for tag in listed_tags(properties):
        if tag.casefold() in seen:
            found.append(f"Duplicate tag ignored: {tag}")
        seen.add(tag.casefold())
    return [*found, fault] if fault else found


def _row(
    id: str,
    title: str,
    content: str,
    tags: Sequence[str],
    properties: Mapping[str, object],
    modified: int,
) -> Row:
    return {
        "id": id,
        "set": {"id": id, "title": title, "content": content, **_properties(properties)},
        "modified": modified,
        "tags": [
            {"key": links.fold(tag), "name": tag, "order": order} for order, tag in enumerate(tags)
        ],
        "folders": [paths.parent(id)],
    }


def _properties(given: Mapping[str, object]) -> Row:
    """Return a note's properties as the database can hold them: `status` becomes `p_status`."""
    some = list(given.items())[:PROPERTIES_MAX]
    return {f"p_{key}": _value(value) for key, value in some if value is not None and key}


def _value(value: object) -> object:
    if isinstance(value, bool | float):
        return value
    if isinstance(value, int):
        return value if -_LARGEST <= value < _LARGEST else str(value)
    if isinstance(value, str):
        return value[:PROPERTY_CHARS_MAX]
    if isinstance(value, list):
        items = cast("list[object]", value)
        return [each if isinstance(each, str) else json.dumps(each) for each in items]
    return json.dumps(value, ensure_ascii=False)[:PROPERTY_CHARS_MAX]


def _name(name: Name) -> Row:
    return {"key": name.key, "kind": int(name.kind), "name": name.name}


def _mention(order: int, mention: Mention) -> Row:
    return {"order": order, "raw": mention.raw, "key": mention.key, "kind": mention.kind}
