"""The observer: sees what the devices did, what the broker delivered and what the journal file holds, and nothing else.

Nothing in here imports the daemon: what is read is decoded anew, from the published layouts.
"""
