"""Groups of commands: help lists each command with its whole first sentence, never a cut one."""

import difflib
from collections.abc import Mapping

import click


class Sentences(click.Group):
    """A group whose help shows the first sentence of each of its commands."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Returns the command; names the nearest one where there is none of this name."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as exc:
            near = difflib.get_close_matches(args[0], self.list_commands(ctx), n=1)
            raise click.UsageError(
                f"{exc.message.rstrip('.')}{f'; did you mean {near[0]}?' if near else ''}", ctx
            ) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the commands, each with its sentence."""
        write_commands(formatter, "Commands", self.sentences(ctx))

    def sentences(self, ctx: click.Context) -> dict[str, str]:
        """Returns the commands by name, each with its first sentence."""
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        return {name: first_sentence(command) for name, command in commands.items() if command is not None}


def write_commands(formatter: click.HelpFormatter, title: str, sentences: Mapping[str, str]) -> None:
    """Writes one section of a help page. `sentences`: name of a command -> what it does."""
    with formatter.section(title):
        formatter.write_dl(list(sentences.items()))


def first_sentence(command: click.Command) -> str:
    """Returns the first sentence of a command's help."""
    paragraph = " ".join((command.help or "").split("\n\n")[0].split())
    sentence, dot, _ = paragraph.partition(". ")
    return sentence + dot.strip()
