"""`tablewarden schema`: what a table publishes, as JSON Schema, as AsyncAPI and as a list. No table, no record."""

from pathlib import Path

import click
from msgspec import json

from controller.catalogue import documents
from controller.catalogue.asyncapi import asyncapi
from controller.catalogue.page import page
from controller.cli.arguments import A_PATH
from controller.cli.main import USAGE, end


@click.command()
@click.argument("name", metavar="[TYPE]", required=False)
@click.option(
    "--asyncapi", "as_asyncapi", is_flag=True, help="Print the AsyncAPI 3 document: topics and all messages."
)
@click.option(
    "--all",
    "folder",
    metavar="DIR",
    type=A_PATH,
    help="Write events.json and asyncapi.json to DIR, and events.md beside DIR.",
)
def schema(name: str | None, as_asyncapi: bool, folder: Path | None) -> None:
    """List what a table publishes, or print the schema of one TYPE of it.

    TYPE is a kind (set_checked: its newest version), a kind with its version (set_checked.v1), the whole type of an event, or
    another message (envelope, heartbeat, state_table ...). docs/events.md has them for people.

    \b
    Example:
      tablewarden schema
      tablewarden schema set_checked
      tablewarden schema --asyncapi > asyncapi.json
      tablewarden schema --all docs/schema
    """
    if sum(map(bool, (name, as_asyncapi, folder))) > 1:
        raise click.UsageError("give one of TYPE, --asyncapi and --all")
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "events.json").write_text(documents.text(documents.bundle()), "utf-8")
        (folder / "asyncapi.json").write_text(documents.text(asyncapi()), "utf-8")
        (folder.resolve().parent / "events.md").write_text(page(), "utf-8")
    elif as_asyncapi:
        click.echo(documents.text(asyncapi()), nl=False)
    elif name is not None:
        try:
            found = documents.schema_of(name)
        except documents.NoSuchType as exc:
            end(str(exc), USAGE)
        click.echo(json.format(json.encode(found), indent=2))
    else:
        for line in documents.listing():
            click.echo(line)
