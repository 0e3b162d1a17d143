"""Codes of what can go wrong with a device or its link, as its health shows them."""

from collections.abc import Mapping

_NOISE = "Look at the cable if it happens often."
_MAKER = "Record it with `tablewarden device record`, and ask its maker."
_SUPERVISOR = "Take the device out of play, and call the supervisor."

DEVICES: Mapping[str, tuple[str, str]] = {
    "link_missing": ("Nothing is plugged in at this port.", "Plug the device in, or correct `path`."),
    "link_busy": ("Another program has the port.", "End it."),
    "link_forbidden": ("The daemon may not open the port.", "Put its user into the group that owns the port."),
    "link_open_failed": ("The driver does not open the port.", "Unplug the device, and plug it in again."),
    "link_eof": ("The device went away.", "Look at its cable and its power."),
    "link_io_error": ("The cable or the driver failed.", "Unplug the device, and plug it in again."),
    "link_restarted": ("The device restarted.", "Watch whether it stays up; if not, look at its power supply."),
    "link_closed": ("The daemon closed the link.", "Nothing is to be done."),
    "frame_crc": ("A frame arrived damaged.", _NOISE),
    "frame_cobs": ("A frame arrived damaged.", _NOISE),
    "frame_oversize": ("A frame is longer than allowed.", _NOISE),
    "frame_partial": ("A frame arrived in part.", _NOISE),
    "frame_length": ("A frame has another length than it says.", _NOISE),
    "frame_version": ("A frame has an unknown version.", _MAKER),
    "frame_stale_session": ("A frame belongs to an earlier session.", "Nothing is to be done if it happens once."),
    "frame_duplicate": ("A frame arrived twice.", "Nothing is to be done."),
    "proto_unexpected": ("The device sent what does not belong there.", _MAKER),
    "proto_counter_backwards": ("The device's counter went back.", _MAKER),
    "proto_counter_reused": ("The device used a counter twice.", _MAKER),
    "proto_payload": ("A report cannot be read.", _MAKER),
    "proto_flood": ("The device sends far more than a game can bring.", _MAKER),
    "timeout_handshake": ("Nobody answers at the port.", "Look at power, cable and baud rate."),
    "timeout_request": ("The device stopped answering.", "Look at its display, then switch it off and on."),
    "timeout_liveness": ("The device stopped answering.", "Look at its display, then switch it off and on."),
    "timeout_fill": ("The device does not give its log.", "Switch it off and on; if it stays so, keep it for its maker."),
    "auth_version": ("The firmware is too new or too old for this daemon.", "Ask the maker."),
    "auth_wrong_device": ("Another device is at this port.", "Put the right one there, or correct `serial`."),
    "auth_wrong_port": ("The device is plugged in where it does not belong.", "Find out by whom, and put it back."),
    "auth_not_approved": ("The device or its firmware is not approved.", "Ask the supervisor."),
    "auth_key_file": ("The key file cannot be used.", "Do what the log says."),
    "auth_key_needed": ("The device obeys only a host that has its key.", "Name its `key_file`."),
    "auth_no_key": ("The device has no key.", _SUPERVISOR),
    "auth_bad_key": ("The device has another key.", _SUPERVISOR),
    "auth_bad_mac": ("A frame was not sealed by the device.", _SUPERVISOR),
    "auth_replay": ("A sealed frame came a second time.", _SUPERVISOR),
    "auth_chain": ("The device's log was changed, or it is another device.", "Look at its seals, and call the supervisor."),
    "auth_measure": ("The firmware is not the approved image.", _SUPERVISOR),
    "data_events_lost": ("Reports of the device are lost.", "Look at the table, and at the round in play."),
    "device_self_test": ("The device says that it is out of order.", "Read its display and its manual."),
    "host_suspended": ("This computer slept.", "Switch its sleep off."),
    "host_queue_full": ("The daemon could not keep up.", "Look at the load of the computer."),
    "host_loop_lag": ("The daemon was late.", "Look at the load of the computer."),
}  # fmt: skip
"""Id of a fault -> what happened, and what to do."""
