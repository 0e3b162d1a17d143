"""The device's side of the shared key: answers the host's proof and lets its firmware be measured."""

import hmac

from drivers.protocol import messages as m
from drivers.protocol.auth import Seal, SessionKeys, Unseal, is_in_image, measurement


class KeyHolder:
    """The device's key and image. `key`: 32 bytes; None = no key. `image`: firmware; None = it cannot be measured."""

    def __init__(self, key: bytes | None, image: bytes | None) -> None:
        self._key, self._image = key, image
        self._keys: SessionKeys | None = None
        self._unseal: Unseal | None = None

    @property
    def has_key(self) -> bool:
        """True if the device holds a key and can prove itself."""
        return self._key is not None

    def prove(self, auth: m.Auth, session: int, hello: bytes, welcome: bytes) -> m.AuthOk | None:
        """Returns our proof if the host's proof is right; None if the host has another key. `hello`, `welcome`:
        payloads."""
        if self._key is None:
            return None
        keys = SessionKeys(self._key, session, hello, welcome)
        if not hmac.compare_digest(auth.proof, keys.host_proof):
            return None
        self._keys, self._unseal = keys, Unseal(keys.host_seal)
        return m.AuthOk(keys.device_proof)

    def prove_again(self, auth: m.Auth) -> m.AuthOk | None:
        """Returns the earlier proof again if the host repeats its own: our answer was lost."""
        keys = self._keys
        if keys is None or not hmac.compare_digest(auth.proof, keys.host_proof):
            return None
        return m.AuthOk(keys.device_proof)

    def new_seal(self) -> Seal:
        """Returns the seal of the session that was just proven."""
        assert self._keys is not None
        return Seal(self._keys.device_seal)

    def is_sealed(self, body: bytes) -> bool:
        """Returns True for a frame that this session's host sealed and that is new."""
        return self._unseal is not None and not self._unseal.fault(body)

    def measured(self, asked: m.Measure) -> m.Measured | m.Error:
        """Returns the answer to a MEASURE."""
        if self._keys is None or self._image is None:
            return m.Error(m.ERR_UNSUPPORTED, False, "", m.CHANNEL_MEASURE)
        if not is_in_image(asked.ranges, self._image):
            return m.Error(m.ERR_BAD_VALUE, False, "a range outside the firmware", m.CHANNEL_MEASURE)
        return m.Measured(measurement(self._keys.measure, asked.nonce, asked.ranges, self._image))
