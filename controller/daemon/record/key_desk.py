"""Lets a supervisor name the signing key's successor while the old key is in use."""

import time

from controller.control.desk import ErrorCode, Refused
from controller.journal.proof.key_change import next_key
from controller.journal.proof.keys import PublicKey, SigningKey
from controller.journal.store import Journal
from controller.table.words.inputs import Actor, SigningKeyChanged


def naming(
    journal: Journal, signer: SigningKey | None, digits: str, reason: str, actor: Actor
) -> SigningKeyChanged:
    """Returns the record in which the key in use names the next one. `digits`: 32 bytes of its public half, in
    hex. Raises `Refused`.

    `digits`: the 32 bytes of the public half in hex. Raises `Refused`.
    """
    if signer is None:
        raise Refused(ErrorCode.REFUSED, "this table has no key that could name the next one")
    try:
        public = PublicKey.of(bytes.fromhex(digits))
    except ValueError as exc:
        raise Refused(ErrorCode.REFUSED, f"`public` is no public key of Ed25519 in hex: {exc}") from exc
    own = signer.public.id
    if public.id == own:
        raise Refused(ErrorCode.REFUSED, f"key {own} signs already; give the public half of the next one")
    statement, signature = next_key(signer, journal.description, public, time.time_ns() // 1000)
    return SigningKeyChanged(own, public.id, statement, signature, reason, actor.who, actor.role)
