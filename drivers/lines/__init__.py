"""Devices that send lines of text and take no commands."""
