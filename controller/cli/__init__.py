"""The command line `tablewarden`: one file a command, which imports what it needs when it runs."""
