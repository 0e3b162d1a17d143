"""The words of a device's reports: names with fixed numbers on the wire (`payloads.py`), fixed text elsewhere."""

from enum import StrEnum


class DeviceKind(StrEnum):
    """The kinds of devices that a table can have."""

    SHUFFLER = "shuffler"
    SHOE = "shoe"
    PROGRESSIVE = "progressive"
    LINE = "line"  # an ASCII line device: no counter of its own, completeness not provable


SIMULATED_VENDOR = "tablewarden simulator"
"""The vendor that every simulator names in its WELCOME. A table in real play takes no device of this vendor."""


class Back(StrEnum):
    """Back colour of a set of cards; a set is known by its colour at the table."""

    UNKNOWN = "unknown"
    RED = "red"
    BLUE = "blue"
    GREEN = "green"
    BLACK = "black"


class Mode(StrEnum):
    """The mode of a shuffler. Only `SHUFFLE` and `COVER_ALL` cycles randomise a set."""

    SHUFFLE = "shuffle"
    COVER_ALL = "cover_all"
    SORT = "sort"
    COUNT = "count"
    DEMO = "demo"


class Activity(StrEnum):
    """What the device was doing when something happened."""

    IDLE = "idle"
    SHUFFLING = "shuffling"
    DEALING = "dealing"  # handing out packets or stacks


class JamPlace(StrEnum):
    """Where in the device cards are stuck."""

    UNKNOWN = "unknown"
    INFEED = "infeed"
    RACK = "rack"
    OUTPUT = "output"


class StopReason(StrEnum):
    """Why a shuffle cycle or a deal ended early without a jam."""

    STOPPED = "stopped"
    POWER_LOST = "power_lost"
    COVER_OPEN = "cover_open"
    TIMEOUT = "timeout"
    FAILED_TO_DEAL = "failed_to_deal"


class Identities(StrEnum):
    """The verdict of card recognition over a whole set."""

    NOT_READ = "not_read"
    COMPLETE = "complete"
    INCOMPLETE = "incomplete"  # a card missing, doubled, foreign or unreadable although the count may be right


class Defect(StrEnum):
    """What card recognition found wrong with a set. It names no card and no place in the order."""

    MISSING = "missing"
    EXTRA = "extra"
    DUPLICATE = "duplicate"
    FOREIGN_BACK = "foreign_back"  # a card of another set
    UNREADABLE = "unreadable"
    FLIPPED = "flipped"  # it lies face up


class Recognition(StrEnum):
    """The verdict on one card that a device has seen. It does not say which card."""

    NOT_READ = "not_read"
    READ = "read"
    UNREADABLE = "unreadable"


class Severity(StrEnum):
    """How urgent a device's own fault is."""

    WARNING = "warning"  # it works on
    ALARM = "alarm"  # somebody must look


class Cause(StrEnum):
    """Why a device's level changed."""

    COMMAND = "command"  # the daemon asked for it
    BUTTON = "button"  # a person at the device
    WATCHDOG = "watchdog"  # the device no longer heard the daemon
    POWER_UP = "power_up"


class Button(StrEnum):
    """The buttons that devices have."""

    GREEN = "green"
    LOCKOUT = "lockout"


class ResetCause(StrEnum):
    """Why a device started again."""

    UNKNOWN = "unknown"
    POWER = "power"
    WATCHDOG = "watchdog"
    SOFTWARE = "software"


class Level(StrEnum):
    """A standing level that the daemon may command, never a one-shot action."""

    LOCKOUT = "lockout"  # engaged | released
    DISPENSING = "dispensing"  # inhibited | allowed
    LAMPS = "lamps"  # text of seat numbers, e.g. "1,4"; "" = all dark
    DISPLAY = "display"  # at most 64 ASCII characters
    MODE = "mode"  # a `Mode`


ENGAGED, RELEASED = "engaged", "released"
INHIBITED, ALLOWED = "inhibited", "allowed"

SAFE_VALUE: dict[Level, str] = {Level.LOCKOUT: ENGAGED, Level.DISPENSING: INHIBITED}
"""The levels that have a safe side, and which it is. A device takes it by itself when it no longer hears the daemon."""


class Capability(StrEnum):
    """What a device can do; reaches the core in `DeviceOnline`."""

    COUNTS_EACH_SHUFFLE = "counts_each_shuffle"
    READS_CARDS = "reads_cards"
    FORMS_HANDS = "forms_hands"  # hands out packets itself
    TWO_SETS = "two_sets"
    DISPENSES_STACKS = "dispenses_stacks"
    LOCKOUT = "lockout"
    SENSES_WAGERS = "senses_wagers"
    EVENT_LOG = "event_log"  # events can be read again
    KEEPS_LOG = "keeps_log"  # the log outlives a power cut
    SENSES_CARDS_INSIDE = "senses_cards_inside"
    RESHUFFLES = "reshuffles"  # by itself, without anybody asking
    TELLS_DRAWS = "tells_draws"  # each card that hands take out of it
    CHAINS_LOG = "chains_log"  # by its key
