"""What a back office asks of a table and confirms to it: judged here, answered over the same link."""
