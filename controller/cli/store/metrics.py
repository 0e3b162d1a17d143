"""`tablewarden backoffice metrics`: figures of the store for Prometheus, printed once or served."""

import time
from collections.abc import Callable
from contextlib import closing
from http.server import BaseHTTPRequestHandler, HTTPServer

import click

from controller.backoffice.figures import families
from controller.backoffice.store.reading import Reading, StoreUnreachable, opened
from controller.cli.main import UNREACHABLE, end
from controller.cli.store.arguments import FROM, reading
from controller.text.prometheus import exposition

_GONE = "tablewarden_backoffice_up 0\n"


@click.command()
@FROM
@click.option(
    "--listen",
    metavar="HOST:PORT",
    help="Serve them at http://HOST:PORT/metrics until stopped, instead of printing.",
)
def metrics(address: str, listen: str | None) -> None:
    """Print the figures of the back office in Prometheus's text format, or serve them.

    They are read from the store at each request, so they are right however many recorders write. While the store does not
    answer, tablewarden_backoffice_up is 0.

    \b
    Example:
      tablewarden backoffice metrics --from sqlite:house.db
      tablewarden backoffice metrics --from postgresql://reader@db/house --listen 127.0.0.1:9108
    """
    if listen is None:
        with reading(address) as store:
            click.echo(_text(store), nl=False)
        return
    with server_at(listen, address) as server:
        click.echo(f"http://{listen.rpartition(':')[0]}:{server.server_port}/metrics", err=True)
        server.serve_forever()


def server_at(listen: str, address: str) -> HTTPServer:
    """Returns a server of the figures of a store. `listen`: HOST:PORT; ends the command where nobody can listen there."""
    host, _, port = listen.rpartition(":")
    if not host or not port.isdecimal():
        raise click.BadParameter(f"{listen!r} is not HOST:PORT", param_hint="--listen")
    try:
        return HTTPServer((host.strip("[]"), int(port)), _handler(lambda: _safely(address)))
    except (OSError, OverflowError) as exc:
        end(f"{listen}: {exc}", UNREACHABLE)


def _safely(address: str) -> str:
    try:
        with closing(opened(address)) as store:
            return _text(store)
    except StoreUnreachable:
        return _GONE


def _text(store: Reading) -> str:
    return "".join(f"{line}\n" for line in exposition(families(store, time.time_ns() // 1000)))


def _handler(told: Callable[[], str]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """Answers GET /metrics."""

        timeout = 10

        def do_GET(self) -> None:
            """Sends the figures as they are now."""
            body = told().encode() if self.path == "/metrics" else b""
            self.send_response(200 if body else 404)
            self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Says nothing: each scrape is no news."""

    return Handler
