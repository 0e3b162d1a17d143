"""The strict readers: one of TOML, one of JSON. A mistake is named with its place, its code and the remedy."""
