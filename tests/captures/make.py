"""Makes the corpus anew: `python -m tests.captures.make [NAME]...`. For a change of the wire; the old files are history.

Of each recording the list of events is written too. Read both before they are committed: a replay only ever says that
nothing has changed since.
"""

import asyncio
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from drivers.recording.format import read_recording
from drivers.recording.replay import replay
from drivers.recording.words import event_words
from tests.captures.scenes import SCENES, SEALED, Scene, public_key_in
from tests.drivers.conftest import VirtualLoop

HERE = Path(__file__).parent


def make(name: str) -> None:
    """One recording and its list."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        scene = runner.run(SCENES[name](Scene))
    path = HERE / f"{name}.jsonl"
    path.write_text(scene.text)
    with TemporaryDirectory() as folder:
        found = replay(read_recording([path]), public_key_in(Path(folder)) if name in SEALED else None)
    assert not found.differences, f"{name}: a replay of what was just recorded differs: {found.differences[0]}"
    path.with_suffix(".expect").write_text("".join(f"{event_words(event)}\n" for _, event in found.events))
    print(f"{name}: {path.stat().st_size} bytes, {found.sends} writes, {len(found.events)} events")


if __name__ == "__main__":
    for chosen in sys.argv[1:] or SCENES:
        make(chosen)
