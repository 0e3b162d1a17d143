"""Texts that people read: the `status` page, instructions, sums of money."""
