"""Tells the back office over MQTT what the journal holds: topics, envelope, outbox, and the link to a broker.

`publisher.py` runs it; `outbox.py` is the pure heart; `mqtt.py` alone knows the MQTT library and is imported only where
a real broker is wanted. The contract with consumers is `docs/mqtt.md`.
"""
