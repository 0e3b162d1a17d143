"""What follows from an irregularity: the rulebook's answer, the fate of wagers, duties, disputes."""
