"""The catalogue of what a table publishes: each type of event, each state and `conn`, with schema and meaning.

Everything is made from the classes that the daemon publishes by; `docs/events.md` and `docs/schema/` are printed from here.
"""
