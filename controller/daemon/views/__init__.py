"""What the table shows of itself: status, retained states, prompts, the offered settlement, device displays."""
