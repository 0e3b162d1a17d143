"""Publishes the journal to the back office over MQTT: topics, envelope, outbox, and the link to a broker.

`publisher.py` runs it; `outbox.py` is its pure core; `mqtt.py` alone knows the MQTT library and is imported only
for a real broker. The contract with consumers is `docs/mqtt.md`.
"""
