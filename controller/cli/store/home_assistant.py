"""`tablewarden backoffice home-assistant`: announces tables to a Home Assistant on the same broker."""

from typing import Any

import click
from msgspec import json

from controller.cli.store.arguments import sources

EXPIRES_S = 30
"""A table whose heartbeat stays away for so long is unknown, not fine."""


def discovery(site: str, table: str, prefix: str) -> tuple[str, dict[str, Any]]:
    """Returns the topic and the message of one table: a device with its entities, in Home Assistant's own words."""
    base, name = f"tablewarden/v1/{site}/{table}", f"{site}_{table}".replace("-", "_")

    def entity(
        what: str, platform: str, called: str, template: str, topic: str = "state/table", **more: Any
    ) -> dict[str, Any]:
        return {
            "platform": platform, "unique_id": f"tablewarden_{name}_{what}", "name": called,
            "state_topic": f"{base}/{topic}", "value_template": template, **more,
        }  # fmt: skip

    entities = {
        "next": entity("next", "sensor", "Next", "{{ value_json.next[:250] }}", icon="mdi:cards-playing"),
        "rounds": entity("rounds", "sensor", "Rounds", "{{ value_json.rounds }}", state_class="total_increasing"),
        "open": entity("open", "binary_sensor", "Open", "{{ 'ON' if value_json.open else 'OFF' }}"),
        "held": entity("held", "binary_sensor", "Held", "{{ 'ON' if value_json.held else 'OFF' }}", device_class="problem"),
        "alarms": entity("alarms", "sensor", "Alarms", "{{ value_json.alarms | count }}", state_class="measurement"),
        "alive": entity(
            "alive", "binary_sensor", "Alive", "{{ 'ON' if value_json.session else 'OFF' }}", "tele/heartbeat",
            device_class="connectivity", expire_after=EXPIRES_S,
        ),
    }  # fmt: skip
    return f"{prefix}/device/tablewarden_{name}/config", {
        "device": {
            "identifiers": [f"tablewarden_{name}"],
            "name": f"{site}/{table}",
            "manufacturer": "tablewarden",
        },
        "origin": {"name": "tablewarden"},
        "availability_topic": f"{base}/conn",
        "availability_template": "{{ 'online' if value_json.state == 'online' else 'offline' }}",
        "qos": 1,
        "components": entities,
    }


@click.command(name="home-assistant")
@click.argument("tables", metavar="SITE/TABLE...", nargs=-1, required=True)
@click.option("--prefix", default="homeassistant", show_default=True, help="Of Home Assistant's discovery.")
@click.option("--remove", is_flag=True, help="Print the messages that take the tables out again.")
def home_assistant(tables: tuple[str, ...], prefix: str, remove: bool) -> None:
    """Print the retained discovery messages of tables, a line each: topic, tab, message. A screen, and never the record.

    \b
    Example:
      tablewarden backoffice home-assistant lv01/uth-017
    """
    for source in sources(tables):
        _, _, site, table = source.split(":")
        topic, message = discovery(site, table, prefix)
        click.echo(f"{topic}\t{'' if remove else json.encode(message).decode()}")
