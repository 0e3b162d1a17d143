"""A table's configuration: one TOML file, read strictly, every fault named with its place."""
