"""The certificates of the broker link: loaded, watched for new ones, and known by their ends. Knows TLS, not MQTT."""

import asyncio
import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from controller.publish.broker.tls_faults import TlsFault, fault_of, no_passphrase
from controller.publish.config import PublishConfig, Tls

ALERT_S = 1.0
"""How long an alert of the broker is waited for."""
HUNG_UP = "the broker closed the connection"
Look = tuple[tuple[int, int, int] | None, ...]
"""Of each file device, inode and time of change; None where there is none. Replacing a file changes it."""


def files_of(tls: Tls) -> Mapping[str, Path]:
    """Returns the files of a TLS configuration by their keys in [mqtt]."""
    named = {"ca": tls.ca, "cert": tls.cert, "key": tls.key}
    return {key: path for key, path in named.items() if path is not None}


def tls_context(tls: Tls) -> ssl.SSLContext:
    """Returns the TLS context. Raises `OSError`, `ssl.SSLError` or `KeyEncrypted`; `fault_of` says what they mean."""
    for path in files_of(tls).values():
        with path.open("rb"):  # OpenSSL's error would not name the file
            pass
    context = ssl.create_default_context(cafile=str(tls.ca))
    context.minimum_version = ssl.TLSVersion.TLSv1_3 if tls.minimum == "1.3" else ssl.TLSVersion.TLSv1_2
    if tls.cert is not None:
        context.load_cert_chain(str(tls.cert), str(tls.key) if tls.key else None, no_passphrase)
    return context


def look(tls: Tls) -> Look:
    """Returns what distinguishes today's files from others in their place."""
    return tuple(_stat(path) for path in files_of(tls).values())


def _stat(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns


def unfit(tls: Tls) -> str:
    """Returns why these files cannot be used, in words; empty if they can."""
    try:
        tls_context(tls)
    except (OSError, ValueError) as exc:
        fault = fault_of(exc)
        return fault.says if fault is not None else str(exc)
    return ""


def ends(tls: Tls) -> dict[str, int]:
    """Returns until when each certificate is valid, Unix seconds: `table` and `authority`, of several the first to end."""
    return {name: min(when for _, when in found) for name, found in validity(tls) if found}


def password(config: PublishConfig) -> str | None:
    """Returns the password of [mqtt]; None if there is none. Raises `OSError` or `ValueError`."""
    return config.password_file.read_text().rstrip("\n") if config.password_file else None


def unfit_files(exc: OSError | ValueError, config: PublishConfig) -> str:
    """Returns which file cannot be read, and what to do."""
    said = exc.strerror or str(exc) if isinstance(exc, OSError) else str(exc)
    try:
        password(config)
    except (OSError, ValueError):
        return (
            f"[mqtt] password_file: {config.password_file} cannot be read: {said}; let the daemon's login read it"
        )
    return why(exc, config.tls) or f"[mqtt] ca, cert, key: {said}; correct the files"


def why(error: BaseException, tls: Tls | None, *, greeted: bool = False) -> str:
    """Returns the cause of a connection that did not come about, with code and remedy; empty if there is no more to say.

    `greeted`: our CONNECT went out, so a handshake of TLS was over.
    """
    fault = TlsFault("mqtt_not_answered") if greeted and _is_end(error) else fault_of(error) if tls else None
    return "" if fault is None else (_by_our_clock(fault, tls, time.time()) if tls else fault).says


async def cause(error: BaseException, config: PublishConfig, *, greeted: bool) -> str:
    """Returns what `why` says, and asks the broker once more where it hung up without a word."""
    if config.tls is not None and greeted and _is_end(error):
        error = await _alert_of(config, config.tls) or error
    return why(error, config.tls, greeted=greeted)


def _is_end(error: BaseException) -> bool:
    """Returns True for a connection that the other side ended without a word."""
    return isinstance(error, ssl.SSLEOFError | ConnectionError) or str(error) == HUNG_UP


async def _alert_of(config: PublishConfig, tls: Tls) -> BaseException | None:
    """Returns what the broker has against us: connects and says nothing. None if it says nothing either.

    With TLS 1.3 a broker looks at our certificate after our side of the handshake. Its alert is lost where it closes while
    our CONNECT lies there unread.
    """
    try:
        async with asyncio.timeout(ALERT_S):
            reader, writer = await asyncio.open_connection(config.host, config.port, ssl=tls_context(tls))
            try:
                await reader.read(1)
            finally:
                writer.transport.abort()
    except (OSError, ValueError) as exc:  # a time-out is an OSError too
        return exc if isinstance(exc, ssl.SSLError) and not _is_end(exc) else None
    return None


def _by_our_clock(fault: TlsFault, tls: Tls, now_s: float) -> TlsFault:
    """Returns a broker's refusal of our certificate as what we know it to be: expired, or not valid yet."""
    if not fault.code.startswith(("tls_own_", "mqtt_")):
        return fault
    begins, until = next((found[0] for name, found in validity(tls) if name == "table" and found), (0, 1 << 62))
    if now_s > until:
        return TlsFault("tls_own_expired", fault.detail)
    if now_s < begins:  # mosquitto hangs up without a word
        return TlsFault("tls_own_not_yet_valid", fault.detail)
    return fault


def validity(tls: Tls) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    """Yields name and validity, in Unix seconds, of the certificates of `cert` and `ca`; none of what cannot be read."""
    from cryptography import x509  # noqa: PLC0415  # a twelfth of a start, and a bench has no certificates

    for name, path in (("table", tls.cert), ("authority", tls.ca)):
        found: list[tuple[int, int]] = []
        with suppress(OSError, ValueError):
            for one in x509.load_pem_x509_certificates(path.read_bytes() if path else b""):
                found.append((int(one.not_valid_before_utc.timestamp()), int(one.not_valid_after_utc.timestamp())))
        yield name, found[:1] if name == "table" else found
