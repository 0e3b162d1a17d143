"""Sets of cards: brought, prepared, cut, stored, and how long they are in play."""
