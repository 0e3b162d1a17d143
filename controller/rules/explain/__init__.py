"""Rulebooks on pages for people: clauses, differences, open questions, coverage, the house's edge."""
