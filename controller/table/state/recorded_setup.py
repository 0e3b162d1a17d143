"""The table as a start puts it on record, and back again: so that a journal alone says by what it was decided."""

from msgspec.structs import asdict

from controller.rules.elections import elect
from controller.rules.model import Rulebook
from controller.rules.vocabulary import Method
from controller.table.state.table import DeviceSetup, Setup
from controller.table.words.inputs import TableSetup
from drivers.events import DeviceKind


def setup_told(setup: Setup) -> TableSetup:
    """Everything of the table but its rulebook, which has a name and a hash of its own."""
    return TableSetup(
        seats=setup.seats,
        backs=setup.backs,
        method=setup.method.value,
        devices={name: device.kind.value for name, device in setup.devices.items()},
        elections={question: (e.choice, e.by) for question, e in setup.law.elections.items()},
        offered=tuple(sorted(setup.offered)),
        currency=setup.currency,
        progressive_cents=setup.progressive_cents or None,
        limits=dict(setup.limits),
        payout_limit=setup.payout_limit,
        unit=setup.unit,
        meters=dict(setup.meters) or None,
    )


def setup_from(told: TableSetup, site: str, table: str, rulebook: Rulebook) -> Setup:
    """The same table again. Raises `ElectionsInvalid` where the rulebook does not have what was elected."""
    alike = asdict(told)
    elections = alike.pop("elections")
    return Setup(
        **{
            **alike,
            "site": site,
            "progressive_cents": told.progressive_cents or 0,
            "table": table,
            "meters": told.meters or {},
            "method": Method(told.method),
            "devices": {name: DeviceSetup(name, DeviceKind(kind)) for name, kind in told.devices.items()},
            "offered": frozenset(told.offered),
            "law": elect(rulebook, elections),
        }
    )
