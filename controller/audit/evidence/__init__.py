"""The evidence file of a round: its records, cut out so that they prove by themselves, with a page for people.

`selection.py` finds the records, `chain_section.py` cuts them out between signed checkpoints, `page.py` writes the
page, `bundle.py` makes the one file.
"""
