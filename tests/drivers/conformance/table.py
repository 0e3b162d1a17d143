"""The table of docs/conformance.md out of the checks: `python -m tests.drivers.conformance.table` writes it into the page."""

from pathlib import Path

from drivers.conformance.run import CHECKS

PAGE = Path(__file__).resolve().parents[3] / "docs" / "conformance.md"
BEGIN, END = "| clause | check | what is tried |\n|---|---|---|\n", "\n<!-- end of the table -->"


def table() -> str:
    """One row a check, in the order in which they run."""
    rows = [f"| {check.clause} | `{check.name}` | {check.says} |" for check in CHECKS]
    return BEGIN + "\n".join(rows) + "\n"


if __name__ == "__main__":
    text = PAGE.read_text()
    head, tail = text[: text.index(BEGIN)], text[text.index(END) :]
    PAGE.write_text(head + table() + tail)
