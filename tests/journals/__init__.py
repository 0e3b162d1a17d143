"""Journals of each release, kept as their daemons wrote them."""
