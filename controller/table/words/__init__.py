"""The words of the core: acts, facts, inputs, and their bytes."""
