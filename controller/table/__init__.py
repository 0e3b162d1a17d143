"""The pure core: an input comes in, `decide` says which facts follow, `evolve` folds a fact into the state.

No clock, no chance, no I/O: the same inputs give the same facts for ever. `decide` is the only place where a rule
meets the table; everything it says is a fact with its citation.
"""
