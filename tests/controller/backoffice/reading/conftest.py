"""A real PostgreSQL and a real broker, as the recorder's tests have them."""

from tests.controller.backoffice.recording.conftest import make_mosquitto, mosquitto, postgres, postgres_url

__all__ = ["make_mosquitto", "mosquitto", "postgres", "postgres_url"]
