"""Where events are kept: SQLite for a small house, PostgreSQL beyond it; the same tables and views in both."""
