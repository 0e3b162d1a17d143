"""Finds what is wrong with an installation: `gather` looks, `checks` judges, `bundle` packs what support needs."""
