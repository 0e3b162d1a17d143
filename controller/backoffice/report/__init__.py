"""The report of a day: what the stored events say for people, as page, CSV and JSON."""
