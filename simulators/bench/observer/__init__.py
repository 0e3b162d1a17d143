"""The observer: judges a run by what the devices did, what the broker delivered and what the journal file holds.

It imports nothing of the daemon: it decodes everything anew, from the published layouts.
"""
