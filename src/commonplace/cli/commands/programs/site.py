"""`commonplace site`: the vault as a site of plain files, for whoever should read it.

Notes are read from their files: no owner is needed, and one that runs is not disturbed.
"""

from functools import partial
from pathlib import Path

import anyio
import click

from commonplace.cli import roots as folders
from commonplace.cli.group import settled
from commonplace.cli.messages import notice
from commonplace.cli.options import Flags
from commonplace.core.site import published
from commonplace.core.text import endings
from commonplace.errors import BadArgument, CommonplaceError
from commonplace.vault.attachments.files import AttachmentFiles, AttachmentList
from commonplace.vault.attachments.open import iter_parts, opened
from commonplace.vault.files.roots import Roots


@click.command("site")
@click.argument("vault", nargs=-1, required=True)
@click.option("--published", "marked_only", is_flag=True, help="Only notes with `publish: true`.")
@click.option("--title", default="", help="The site's name (default: the vault's).")
def command(vault: tuple[str, ...], title: str, *, marked_only: bool) -> None:
    """Write a vault as a site of plain files: commonplace site VAULT DIR.

    It has every note as it reads, with the pictures and files that it uses, search, backlinks and a
    graph, and needs no server.
    Suggestions that nobody has accepted are left out, and so are properties and remarks.
    """
    from commonplace.server.site import write

    *named, target = vault
    settings = settled(Flags(tuple(named)))
    folder = Path(folders.absolute(target))
    if any(folder.resolve().is_relative_to(root.path.resolve()) for root in settings.roots):
        raise BadArgument("The site would lie inside the vault. Name a folder outside of it.")
    roots = Roots(settings)
    try:
        texts = _read(roots)
        found = anyio.run(AttachmentFiles(roots).current)
        pages = published(
            texts,
            marked_only=marked_only,
            several_roots=settings.several_roots,
            named_files=found.named,
        )
        copy = partial(_copy, roots, found)
        files = write(pages, title or settings.roots[0].name, folder, copy=copy)
    finally:
        roots.close()
    what = "1 note" if len(pages) == 1 else f"{len(pages):,} notes"
    click.echo(f"{folder / 'index.html'}")
    notice(f"wrote {what} as {files:,} files.")


def _read(roots: Roots) -> dict[str, str]:
    """Read every note; one that cannot be read is named and left out."""
    texts: dict[str, str] = {}
    for listed in roots.scan():
        try:
            data, _ = roots.read(listed.on_disk or listed.path)
            texts.setdefault(listed.path, endings.decode(data)[0])
        except CommonplaceError as error:
            notice(f"left out {listed.path}: {error}")
    return texts


def _copy(roots: Roots, files: AttachmentList, path: str, target: Path) -> None:
    """Copy an attachment into the site; one that cannot be read is named and left out."""
    try:
        with opened(roots, path, files.by_path[path].on_disk) as file, target.open("wb") as copy:
            copy.writelines(iter_parts(file, 0, file.size))
    except CommonplaceError as error:
        target.unlink(missing_ok=True)
        notice(f"left out {path}: {error}")
