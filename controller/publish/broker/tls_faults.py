"""Why a TLS connection to the broker did not come about: a stable code for each cause, with its remedy.

OpenSSL names a cause in its own words, and one that the broker has against us only as an alert after the handshake.
"""

import ssl
from collections.abc import Mapping
from typing import NamedTuple

_CLOCK = "Set this machine's clock. If the clock is right, issue the certificate anew."
TLS_FAULTS: Mapping[str, tuple[str, str]] = {
    "tls_broker_expired": (
        "The broker's certificate has expired.",
        "Renew it at the broker. If it is valid, set this machine's clock.",
    ),
    "tls_broker_not_yet_valid": ("The broker's certificate is not valid yet.", _CLOCK),
    "tls_broker_other_authority": (
        "The broker's certificate is not signed by the authority in `ca`.",
        "Put the authority that signed the broker into `ca`.",
    ),
    "tls_broker_other_name": (
        "The broker's certificate is for another host name.",
        "Set `host` to a name in the certificate, or issue the certificate for this name.",
    ),
    "tls_broker_refused": (
        "The broker's certificate cannot be trusted, for the reason behind.",
        "Issue the broker's certificate anew.",
    ),
    "tls_own_missing": ("The broker asks for this table's certificate.", "Set `cert` and `key` in [mqtt]."),
    "tls_own_expired": (
        "This table's certificate has expired.",
        "Issue a new one in place of `cert`; the daemon takes it by itself.",
    ),
    "tls_own_not_yet_valid": ("This table's certificate is not valid yet.", _CLOCK),
    "tls_own_other_authority": (
        "The broker does not know the authority that signed this table's certificate.",
        "Issue the certificate by the broker's authority, or add the authority to the broker's `cafile`.",
    ),
    "tls_own_revoked": ("This table's certificate is revoked.", "Find out why, then issue a new one."),
    "tls_own_refused": (
        "The broker does not accept this table's certificate.",
        "Look at the broker's log; issue the certificate anew.",
    ),
    "tls_key_mismatch": (
        "The files in `cert` and `key` do not belong together.",
        "Put the key there with which the certificate was issued.",
    ),
    "tls_key_encrypted": (
        "The key in `key` is encrypted.",
        "Store the key without a passphrase, readable by the daemon's login alone.",
    ),
    "tls_file_missing": ("A file of [mqtt] does not exist.", "Correct the path, or put the file there."),
    "tls_file_unreadable": (
        "The daemon may not read a file of [mqtt].",
        "Let the daemon's login read it (chown, chmod 400).",
    ),
    "tls_file_damaged": (
        "A file of [mqtt] is no certificate or key in PEM.",
        "Put the file there again.",
    ),
    "tls_protocol_version": (
        "Broker and table have no version of TLS in common.",
        'Let the broker speak TLS 1.3, or set `tls_minimum = "1.2"`.',
    ),
    "tls_plain_port": (
        "The broker's port does not speak TLS, or hung up in the handshake.",
        "Set `port` to the broker's TLS port, usually 8883.",
    ),
    "tls_failed": ("TLS failed, for the reason behind.", "Look at the broker's log."),
    "mqtt_not_answered": (
        "The broker closed the connection before it answered.",
        "If the port speaks TLS, set `ca`; else look at the broker's log.",
    ),
}
"""Code -> what is wrong, what to do."""

_VERIFIED = {
    9: "tls_broker_not_yet_valid",
    10: "tls_broker_expired",
    18: "tls_broker_other_authority",  # signed by itself
    19: "tls_broker_other_authority",
    20: "tls_broker_other_authority",
    21: "tls_broker_other_authority",
    30: "tls_broker_other_authority",  # another key by the same name
    62: "tls_broker_other_name",
    64: "tls_broker_other_name",
}
"""OpenSSL's X509_V_ERR of the broker's certificate -> code."""

_REASONS = {
    "ALERT_CERTIFICATE_REQUIRED": "tls_own_missing",
    "ALERT_CERTIFICATE_EXPIRED": "tls_own_expired",
    "ALERT_CERTIFICATE_REVOKED": "tls_own_revoked",
    "ALERT_UNKNOWN_CA": "tls_own_other_authority",
    "ALERT_BAD_CERTIFICATE": "tls_own_refused",
    "ALERT_CERTIFICATE_UNKNOWN": "tls_own_refused",
    "ALERT_UNSUPPORTED_CERTIFICATE": "tls_own_refused",
    "ALERT_ACCESS_DENIED": "tls_own_refused",
    "ALERT_DECRYPT_ERROR": "tls_own_refused",
    "ALERT_PROTOCOL_VERSION": "tls_protocol_version",
    "UNSUPPORTED_PROTOCOL": "tls_protocol_version",
    "WRONG_SSL_VERSION": "tls_protocol_version",
    "NO_PROTOCOLS_AVAILABLE": "tls_protocol_version",
    "WRONG_VERSION_NUMBER": "tls_plain_port",
    "RECORD_LAYER_FAILURE": "tls_plain_port",
    "HTTP_REQUEST": "tls_plain_port",
    "KEY_VALUES_MISMATCH": "tls_key_mismatch",
    "KEY_TYPE_MISMATCH": "tls_key_mismatch",
    "NO_CERTIFICATE_OR_CRL_FOUND": "tls_file_damaged",
    "NO_START_LINE": "tls_file_damaged",
    "BAD_BASE64_DECODE": "tls_file_damaged",
    "PEM_LIB": "tls_file_damaged",
    "PEM lib": "tls_file_damaged",
}
"""What OpenSSL's reason ends with -> code."""


class TlsFault(NamedTuple):
    """A cause with its code. `detail`: OpenSSL's own words, or the file; empty if they add nothing."""

    code: str
    detail: str = ""

    @property
    def says(self) -> str:
        """One line for people: code, what is wrong, what to do, and the detail."""
        wrong, remedy = TLS_FAULTS[self.code]
        return f"{self.code}: {wrong} {remedy}" + (f" ({self.detail})" if self.detail else "")


class KeyEncrypted(ValueError):
    """The key wants a passphrase, and nobody is there to type it."""


def no_passphrase() -> bytes:
    """Raises `KeyEncrypted`; without it OpenSSL would ask at a terminal, and wait for ever."""
    raise KeyEncrypted("the key wants a passphrase")


def fault_of(error: BaseException) -> TlsFault | None:
    """Returns the cause behind an error; None for one that TLS has no part in."""
    match error:
        case KeyEncrypted():
            return TlsFault("tls_key_encrypted")
        case ssl.SSLCertVerificationError():
            said = error.verify_message.rstrip(".") if error.verify_message else str(error)
            return TlsFault(_VERIFIED.get(error.verify_code, "tls_broker_refused"), said)
        case ssl.SSLEOFError():
            return TlsFault("tls_plain_port", "hung up")
        case ssl.SSLError():
            reason = error.reason or ""
            found = next(
                (code for end, code in _REASONS.items() if reason.endswith(end) or end in str(error)), "tls_failed"
            )
            return TlsFault(found, reason.replace("_", " ").lower() or str(error))
        case FileNotFoundError() if error.filename:
            return TlsFault("tls_file_missing", str(error.filename))
        case PermissionError() if error.filename:
            return TlsFault("tls_file_unreadable", str(error.filename))
        case ConnectionResetError() | BrokenPipeError():
            return TlsFault("tls_plain_port", "connection reset")
        case _:
            return None
