"""Looking at devices from a terminal: what stands where, what speaks there, and how well. No rule is known here."""
