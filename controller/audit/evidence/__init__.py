"""The evidence file of a round: what is on record about it, cut out so that it proves by itself, with a page for people.

`selection.py` finds what is about the round, `chain_section.py` cuts it out between signed checkpoints, `page.py` tells it,
`bundle.py` makes the one file.
"""
