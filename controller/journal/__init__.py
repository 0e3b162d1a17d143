"""The record: one append-only SQLite file a table, a hash chain over each stream, and the readers' positions beside it.

It stores rows of bytes and knows no rule and no device. `record.py` has the words, `store.py` the file, `recorder.py`
the asyncio side, `verify.py` the proof, `tail.py` the view of a live journal from outside.
"""
