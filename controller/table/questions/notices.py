"""Optional wagers that a document lets a house withdraw only after a notice. Clause: `[[wager]] notice`."""

from controller.table.fold.ruling import Draft
from controller.table.state.table import Setup, State
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import Actor, ServiceStarted
from controller.table.words.refusal import Refusal


def verify_post_notice(setup: Setup, state: State, act: a.PostNotice, actor: Actor) -> Refusal | None:
    """A notice is recorded once, of a wager of which the document wants one and which is still offered."""
    wanted = {name: rule.notice for name, rule in setup.law.rulebook.wagers.items() if rule.notice}
    rule = wanted.get(act.wager)
    if rule is None:
        known = ", ".join(wanted) or "none"
        return Refusal(
            f"{act.wager or 'nothing'} needs no notice here; wagers that do: {known}", code="notice_not_asked"
        )
    if act.wager not in setup.offered:
        return Refusal(f"{act.wager} is not offered, so it is not withdrawn", rule.cite, code="wager_not_offered")
    if act.wager in state.notices:
        return Refusal(f"the notice of {act.wager} is on record already", rule.cite, code="notice_on_record")
    return None


def post_notice(draft: Draft, act: a.PostNotice, actor: Actor) -> None:
    """The notice is on record until the wager is withdrawn."""
    rule = draft.setup.law.rulebook.wagers[act.wager].notice
    assert rule is not None  # where none is wanted the act was refused
    draft.add(f.NoticePosted(act.wager, actor.who, rule.cite))


def withdrawn_unannounced(draft: Draft, event: ServiceStarted) -> list[str]:
    """Wagers that were offered at the last start and are not now, without the notice that the document wants."""
    before, now = draft.state.offered, event.setup
    if before is None or now is None:
        return []
    rules = draft.setup.law.rulebook.wagers
    gone = [name for name in before if name not in now.offered and name not in draft.state.notices]
    return [name for name in gone if name in rules and rules[name].notice]


def ask(draft: Draft, withdrawn: list[str]) -> None:
    """Holds play for each wager that was withdrawn without its notice; no money hangs on it, so a person goes on."""
    for name in withdrawn:
        rule = draft.setup.law.rulebook.wagers[name].notice
        assert rule is not None
        draft.hold(
            f"{name} is not offered any more, and no notice of it is on record; give the notice, or offer {name} again",
            cite=rule.cite, choices=(a.Resolution.GO_ON,), code="notice_missing",
        )  # fmt: skip
