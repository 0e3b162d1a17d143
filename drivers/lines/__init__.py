"""Devices that send lines of text and nothing else."""
