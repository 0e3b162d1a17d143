"""A device's memory of requests: each is carried out once, however often and late it comes."""

from collections import OrderedDict
from dataclasses import dataclass, field

from drivers.protocol.constants import ANSWER_CACHE
from drivers.protocol.link import is_newer
from drivers.protocol.messages import ERR_REFUSED, Error, Response, SetLevel
from drivers.protocol.reports import SAFE_VALUE, Level, Levels

Answer = Response | Error


@dataclass(slots=True)
class _Running:
    wish: SetLevel
    session: int
    seqs: list[int] = field(default_factory=list)


class RequestMemory:
    """Keeps a session's answers by sequence number, levels being set, and each level's last operation."""

    def __init__(self) -> None:
        self.highest = 0
        self._session = 0
        self._answers: OrderedDict[int, Answer] = OrderedDict()
        self._running: dict[int, _Running] = {}
        self._done: dict[Level, SetLevel] = {}
        self._token = 0

    def new_session(self, session: int) -> None:
        """Forgets the old session's numbers; operations under way stay known."""
        self._session, self.highest = session, 0
        self._answers.clear()

    def is_new(self, seq: int) -> bool:
        """Returns True if `seq` is new in this session; `seq` then counts as seen."""
        if seq == 0 or (self.highest and not is_newer(seq, self.highest)):
            return False
        self.highest = seq
        return True

    def known_answer(self, seq: int) -> Answer | None:
        """Returns the answer given to `seq`; None while it is under way or too old."""
        return self._answers.get(seq)

    def remember(self, seq: int, answer: Answer) -> None:
        """Keeps an answer for repeats of its request."""
        self._answers[seq] = answer
        if len(self._answers) > ANSWER_CACHE:
            self._answers.popitem(last=False)

    def begin(self, wish: SetLevel, seq: int) -> int | None:
        """Starts an operation and returns its token; None if the operation is under way already."""
        for running in self._running.values():
            if running.wish == wish:
                if running.session != self._session:
                    running.session, running.seqs = self._session, []
                running.seqs.append(seq)
                return None
        self._token += 1
        self._running[self._token] = _Running(wish, self._session, [seq])
        return self._token

    def recall(self, wish: SetLevel, levels: Levels) -> Answer | None:
        """Returns the answer to an operation done before; None if it must be done now.

        The old answer stands while the level still holds. A level that was opened and has closed since needs a new
        operation.
        """
        if self._done.get(wish.level) != wish:
            return None
        if _holds(wish, levels):
            return Response()
        if SAFE_VALUE.get(wish.level, wish.value) != wish.value:
            return Error(ERR_REFUSED, False, "this operation was done, and taken back since")
        return None

    def end(self, token: int, answer: Answer) -> list[int]:
        """Ends an operation; returns the sequence numbers that wait for its answer. Raises ValueError for an
        unknown token."""
        running = self._running.pop(token, None)
        if running is None:
            raise ValueError(f"no request with token {token} waits for an answer")
        if isinstance(answer, Response):
            self._done[running.wish.level] = running.wish
        return running.seqs if running.session == self._session else []


def _holds(wish: SetLevel, levels: Levels) -> bool:
    match wish.level:
        case Level.LOCKOUT:
            return levels.lockout == wish.value
        case Level.DISPENSING:
            return levels.dispensing == wish.value
        case Level.MODE:
            return levels.mode == wish.value
        case Level.LAMPS:
            return levels.lamps == sum(1 << int(seat) - 1 for seat in set(wish.value.split(",")) - {""})
        case Level.DISPLAY:
            return False  # whether it still stands there cannot be told, and to show it again does no harm
