"""The class of every act."""

from typing import ClassVar, TypeVar

from msgspec import Struct


class Act(Struct, frozen=True):
    """Something a person does at the table: an imperative record. Its row in `controller/table/acts/registry.py` says who may
    do it when, and what it does."""

    kind: ClassVar[str]


A = TypeVar("A", bound=Act)
