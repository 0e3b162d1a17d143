"""Opens sealed bodies of the journal with the keys beside them, by the published layout alone."""

import hmac
import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives.ciphers.aead import AESGCM


def opened(body: dict[str, Any], journal: str, kind: str, keys: Mapping[str, bytes]) -> tuple[dict[str, Any], str]:
    """Returns the body with its cards, and what is wrong with it ("" = nothing); unchanged if not sealed or not
    open yet.

    `keys`: commitment in hex -> key. An input's origin and actor stand beside its `body`.
    """
    seal = body.get("sealed")
    if seal is None or seal["key"] not in keys:
        return body, ""
    key = keys[seal["key"]]
    if sha256(b"tablewarden round key" + key).hexdigest() != seal["key"]:
        return body, "the key that lies open is not the one that was committed to"
    nonce, box = bytes.fromhex(seal["data"][:24]), bytes.fromhex(seal["data"][24:])
    cipher = AESGCM(hmac.digest(key, b"seal", "sha256"))
    cards: dict[str, str] = json.loads(cipher.decrypt(nonce, box, f"{journal}\0{kind}".encode()))
    told: dict[str, Any] = body.get("body", body)
    wrong = [name for name, text in cards.items() if told[name] != _commitments(key, nonce, name, text)]
    clear = {**told, **cards}
    rest = {k: v for k, v in (body if "body" in body else clear).items() if k != "sealed"}
    return {**rest, "body": clear} if "body" in body else rest, ", ".join(wrong)


def _commitments(key: bytes, nonce: bytes, name: str, text: str) -> list[str]:
    found = []
    for place, card in enumerate(text.split()):
        salt = hmac.digest(key, b"salt" + nonce + name.encode() + b"\0" + place.to_bytes(2, "big"), "sha256")
        found.append(sha256(salt + card.encode()).hexdigest())
    return found
