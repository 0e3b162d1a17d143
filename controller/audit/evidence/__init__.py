"""The evidence file of a round: what is on record about it, cut out so that it proves by itself, with a page for people.

`concern.py` finds what is about the round, `stretch.py` cuts it out between signed checkpoints, `page.py` tells it,
`bundle.py` makes the one file.
"""
