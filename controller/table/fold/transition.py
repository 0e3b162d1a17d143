"""The error of every transition table of the fold."""


class NoSuchTransition(Exception):
    """A fact that cannot have happened where the thing that it is about stands."""

    def __init__(self, where: str, move: str) -> None:
        super().__init__(f"no row leads on from {where} by {move.lower()}")
