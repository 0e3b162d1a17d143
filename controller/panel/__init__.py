"""The panel: a web page for dealer and floor, in a process of its own; it reaches the table through the control socket alone."""
