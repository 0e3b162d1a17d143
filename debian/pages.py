"""Manual pages and shell completion, both made from the commands themselves."""

from collections.abc import Iterator

import click
from click.shell_completion import BashComplete, FishComplete, ZshComplete

from controller.cli.main import cli

NAME = "tablewarden"


def manuals(release: str) -> dict[str, str]:
    """Returns name -> manual page: one of the program, one of each command with all below it."""
    top = click.Context(cli, info_name=NAME, max_content_width=80, terminal_width=80)
    pages = {NAME: _page(NAME, release, cli, top, [])}
    for name in cli.list_commands(top):
        command = cli.get_command(top, name)
        assert command is not None
        ctx = click.Context(command, info_name=name, parent=top)
        inner = list(below(command, ctx))
        pages[f"{NAME}-{name}"] = _page(f"{NAME}-{name}", release, command, ctx, inner)
    return pages


def below(command: click.Command, ctx: click.Context) -> Iterator[tuple[click.Command, click.Context]]:
    """Yields each command below `command` with its context, in the order of the help."""
    for name in command.list_commands(ctx) if isinstance(command, click.Group) else ():
        found = command.get_command(ctx, name)
        assert found is not None
        inner = click.Context(found, info_name=name, parent=ctx)
        yield found, inner
        yield from below(found, inner)


def _page(
    name: str,
    release: str,
    command: click.Command,
    ctx: click.Context,
    below: list[tuple[click.Command, click.Context]],
) -> str:
    first = command.get_short_help_str(200)
    lines = [f'.TH "{name.upper()}" 1 "" "{release}"', ".SH NAME", f"{_plain(name)} \\- {_plain(first)}"]
    lines += [".SH DESCRIPTION", *_as_it_is(command.get_help(ctx))]
    for each, inner in below:
        lines += [f'.SH "{_plain(inner.command_path.upper())}"', *_as_it_is(each.get_help(inner))]
    lines += [
        ".SH SEE ALSO",
        "/usr/share/doc/tablewarden/install.md, the command",
        "or any of its commands with",
        ".BR \\-\\-help .",
    ]
    return "\n".join(lines) + "\n"


def _as_it_is(text: str) -> Iterator[str]:
    yield ".nf"
    yield from (f"\\&{_plain(line)}" for line in text.splitlines())
    yield ".fi"


def _plain(text: str) -> str:
    return text.replace("\\", "\\e").replace("-", "\\-")


def completions() -> dict[str, str]:
    """Returns place in the file system -> script, for bash, zsh and fish."""
    places = {
        f"usr/share/bash-completion/completions/{NAME}": BashComplete,
        f"usr/share/zsh/vendor-completions/_{NAME}": ZshComplete,
        f"usr/share/fish/vendor_completions.d/{NAME}.fish": FishComplete,
    }
    variable = f"_{NAME.upper()}_COMPLETE"
    return {
        place: kind.source_template % kind(cli, {}, NAME, variable).source_vars() for place, kind in places.items()
    }
