"""What each stable code means, and what a person does about it; docs/codes.md is made from this room."""
