"""The people around a simulated table: what they see, what they do with their hands, and what they tell the daemon.

Nothing here knows a rule of law. People do what the table's status allows and asks for, and what a scenario says goes
wrong at their hands.
"""
