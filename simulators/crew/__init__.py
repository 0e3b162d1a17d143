"""The people around a simulated table: what they see, do with their hands, and report to the daemon.

They know no rule of law. They do what the table's status allows and asks for, and what a scenario says goes wrong
at their hands.
"""
