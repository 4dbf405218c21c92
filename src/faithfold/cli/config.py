"""`faithfold config`: the effective settings, and where each comes from.

Source: spec 90-decisions, Session files and the command line.
"""

from __future__ import annotations

from dataclasses import fields

import click

from faithfold.cli.options import warn_of_variables
from faithfold.cli.terminal import json_bytes, put, show
from faithfold.core.values import is_list

_SECRET = "(set)"  # stands for a value that nobody should see


@click.command(epilog="Example: FAITHFOLD_KEEP_RECENT=5 faithfold config")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def config(*, as_json: bool) -> None:
    """Show the settings and where each comes from.

    A setting is looked for among the flags of a command, then in the variable FAITHFOLD_NAME, then in faithfold.toml,
    which is in the user's config folder or where FAITHFOLD_CONFIG says; else it has its default.
    """
    warn_of_variables()
    rows, path, exists = _rows(), *_file()
    if as_json:
        settings = {name: {"value": value, "source": source} for name, value, source in rows}
        put(json_bytes({"file": path, "exists": exists, "settings": settings}, indent=2))
        return
    names, values = max(len(name) for name, _, _ in rows), max(len(_shown(value)) for _, value, _ in rows)
    lines = [f"{name:{names}}  {_shown(value):{values}}  {source}" for name, value, source in rows]
    file = " ".join(filter(None, ("file:", path, "" if exists else "(there is none)")))
    show("\n".join([*lines, "", file]))


def _rows() -> list[tuple[str, object, str]]:
    """Name, value and origin of each setting; one that several groups have, once."""
    from faithfold.settings import GROUPS, load

    rows: dict[str, tuple[str, object, str]] = {}
    for group in GROUPS:
        loaded = load(group)
        for field in fields(group):
            value: object = getattr(loaded.settings, field.name)
            if not field.repr and value is not None:
                value = _SECRET
            rows.setdefault(field.name, (field.name, value, loaded.origins[field.name]))
    return list(rows.values())


def _file() -> tuple[str | None, bool]:
    """The settings file, None where there is no place for it; and whether it exists."""
    from faithfold.settings import settings_file

    path = settings_file()
    return (click.format_filename(path), path.is_file()) if path else (None, False)


def _shown(value: object) -> str:
    """A value as the file would have it."""
    if isinstance(value, bool):
        return str(value).lower()
    if is_list(value):
        return ", ".join(map(str, value))
    return "none" if value is None else str(value)
