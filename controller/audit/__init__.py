"""Examines a record afterwards: replay, look-back over a set's rounds, evidence of one round, alarms, drills."""
