"""What people can do at the table: one frozen record for each act, by subject.

A new act is a class here and a row in `controller/table/acts/registry.py`.
"""

# Words of their fields.
from controller.games.model import Decision as Decision
from controller.games.model import Street as Street
from controller.games.settling.settled import Outcome as Outcome
from controller.table.words.acts.act import *
from controller.table.words.acts.course import *
from controller.table.words.acts.irregularities import *
from controller.table.words.acts.card_sets import *
from controller.table.words.acts.settlement import *
from controller.table.words.acts.disputes import *
from controller.table.words.acts.devices import *

ACTS: dict[str, type[Act]] = {cls.kind: cls for cls in Act.__subclasses__()}
"""Kind -> class, in the order of the files above."""
