"""A small machine of its own: Debian's kernel in QEMU without KVM, this machine's Python and this project on a read-only
disk, and a second disk whose every write and flush is written down.

Killing QEMU loses nothing that the guest wrote, since that sits in this machine's cache: a power cut is made afterwards, from
the log of the writes (`writelog.py`).
"""

import compileall
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

from tests.powercut.writelog import Recording, parse

__all__ = ["MARKS", "GuestUnusable", "Machine"]

ROOT = Path(__file__).resolve().parents[2]
KERNEL = Path(sys.prefix) / "guest"
"""Where `.ci/guest-kernel` unpacks Debian's kernel; nothing is installed."""
MODULES = ("virtio_ring", "virtio", "virtio_pci_legacy_dev", "virtio_pci_modern_dev", "virtio_pci", "virtio_blk")
MIB = 2**20
RECORD_MIB = 64
"""Size of the file system under the record."""
MARKS = RECORD_MIB * MIB
"""Where marks are written, in bytes from the begin of the record's disk: behind its file system, and so in one order with it."""
MEMORY_MIB = 512
NOT_NEEDED = shutil.ignore_patterns(
    "test", "idlelib", "tkinter", "turtledemo", "lib2to3", "ensurepip", "pydoc_data", "site-packages", "config-*", "*.opt-?.pyc",
    "*.a", "_tkinter*", "_test*", "_curses*", "_gdbm*", "_dbm*", "readline*"
)  # fmt: skip
ENVIRONMENT = {
    "HOME": "/tmp",
    "PATH": "/python/bin:/bin",
    "PYTHONHOME": "/python",
    "PYTHONPATH": "/project:/site:/work",
    "LD_LIBRARY_PATH": "/lib",
}
INIT = """#!/bin/busybox sh
busybox=/bin/busybox
$busybox mount -t proc none /proc
$busybox mount -t devtmpfs none /dev
for module in {modules}; do $busybox insmod /$module.ko; done
while [ ! -b /dev/vdb ]; do $busybox usleep 10000; done
$busybox mount -o ro,noatime -t ext4 /dev/vda /root
$busybox mount -t ext4 /dev/vdb /root/record
$busybox mount --move /proc /root/proc
$busybox mount --move /dev /root/dev
$busybox mkdir /root/dev/pts
$busybox mount -t devpts none /root/dev/pts
$busybox mount -t tmpfs none /root/tmp
$busybox ip link set lo up
{commands}
$busybox umount /root/record
echo "{end}"
$busybox poweroff -f
"""
RUN = (
    "$busybox env -i {environment} $busybox chroot /root /python/bin/python3 /work/{words} || $busybox poweroff -f"
)
END = "the guest came to its end"


class GuestUnusable(Exception):
    """The machine cannot be made, or did not come to its end; the message says what is missing."""


class Machine:
    """One guest in a directory of its own, used once: what it wrote is in `disk.img`, how it wrote it in `log.img`."""

    def __init__(self, directory: Path, extra: Iterable[Path] = ()) -> None:
        """Builds it; takes some seconds. `extra`: files that are laid into its `/work`. Raises `GuestUnusable`."""
        self._directory = directory
        staged = directory / "system"
        _stage(staged, extra)
        mib = sum(f.stat().st_size + 4096 for f in staged.rglob("*") if f.is_file()) * 11 // 10 // MIB + 24
        _make_ext4(self._system, f"{mib}M", "-O", "^has_journal", "-d", staged)
        shutil.rmtree(staged)
        _make_ext4(self._disk, f"{RECORD_MIB}M")
        with self._disk.open("r+b") as file:
            file.truncate(MARKS + MIB)

    @property
    def _system(self) -> Path:
        return self._directory / "system.img"

    @property
    def _disk(self) -> Path:
        return self._directory / "disk.img"

    def run(self, *programs: str, seconds: float) -> Recording:
        """Boots, runs each (a file of `/work` with its arguments), and ends. `console.txt` holds what the guest said.

        Raises `GuestUnusable` where one fails or it takes longer than `seconds`.
        """
        base, log, console = self._disk.read_bytes(), self._directory / "log.img", self._directory / "console.txt"
        log.write_bytes(b"")
        kernel, initrd = self._make_initrd(programs)
        command = [
            "qemu-system-x86_64", "-accel", "tcg,tb-size=256", "-cpu", "max", "-m", str(MEMORY_MIB), "-nodefaults",
            "-no-user-config", "-display", "none", "-serial", "stdio", "-no-reboot", "-nic", "none",
            "-kernel", str(kernel), "-initrd", str(initrd),
            "-append", "console=ttyS0 quiet panic=-1 mitigations=off random.trust_cpu=on",
            "-blockdev", f"driver=file,filename={self._system},node-name=system,read-only=on",
            "-device", "virtio-blk-pci,drive=system",
            "-blockdev", f"driver=file,filename={self._disk},node-name=disk,cache.no-flush=on",
            "-blockdev", f"driver=file,filename={log},node-name=log,cache.no-flush=on",
            "-blockdev", "driver=blklogwrites,file=disk,log=log,node-name=logged,log-super-update-interval=1",
            "-device", "virtio-blk-pci,drive=logged",
        ]  # fmt: skip
        with console.open("wb") as said:
            try:
                subprocess.run(
                    command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, timeout=seconds, check=False
                )
            except subprocess.TimeoutExpired:
                raise GuestUnusable(f"not within {seconds:g} s: {_tail(console)}") from None
        if END not in console.read_text(errors="replace"):
            raise GuestUnusable(f"the guest failed: {_tail(console)}")
        return Recording(base, parse(log), MARKS)

    def _make_initrd(self, programs: Iterable[str]) -> tuple[Path, Path]:
        kernel = _only(KERNEL.glob("boot/vmlinuz-*"))
        root = self._directory / "initrd"
        for name in ("bin", "root", "proc", "dev"):
            (root / name).mkdir(parents=True)
        shutil.copy2(shutil.which("busybox") or "/bin/busybox", root / "bin/busybox")
        for name in MODULES:
            shutil.copy2(_only(KERNEL.glob(f"lib/modules/*/kernel/**/{name}.ko")), root)
        environment = " ".join(f"{name}={value}" for name, value in ENVIRONMENT.items())
        commands = "\n".join(RUN.format(environment=environment, words=words) for words in programs)
        init = root / "init"
        init.write_text(INIT.format(modules=" ".join(MODULES), commands=commands, end=END))
        init.chmod(0o755)
        names = "\n".join(str(path.relative_to(root)) for path in sorted(root.rglob("*")))
        packed = subprocess.run(
            [root / "bin/busybox", "cpio", "-o", "-H", "newc"],
            cwd=root,
            input=names.encode(),
            capture_output=True,
            check=True,
        )
        archive = self._directory / "initrd.cpio"
        archive.write_bytes(packed.stdout)
        return kernel, archive


def _make_ext4(image: Path, size: str, *more: object) -> None:
    words = ["mke2fs", "-q", "-t", "ext4", "-b", "4096", "-E", "lazy_itable_init=0,lazy_journal_init=0,nodiscard"]
    done = subprocess.run([*words, *map(str, more), str(image), size], capture_output=True, text=True, check=False)
    if done.returncode:
        raise GuestUnusable(f"mke2fs: {done.stderr}")


def _tail(console: Path) -> str:
    return console.read_text(errors="replace")[-2000:]


def _stage(to: Path, extra: Iterable[Path]) -> None:
    """Python, what this project needs of it, and this project."""
    for name in ("proc", "dev", "tmp", "record", "lib", "lib64", "work", "site", "python/bin", "bin"):
        (to / name).mkdir(parents=True)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    shutil.copytree(sysconfig.get_path("stdlib"), to / "python/lib" / version, ignore=NOT_NEEDED)
    shutil.copy2(Path(sys.executable).resolve(), to / "python/bin/python3")
    for name in ("controller", "drivers", "simulators", "config"):
        shutil.copytree(ROOT / name, to / "project" / name, ignore=NOT_NEEDED)
    for package in _closure("tablewarden"):
        _copy_distribution(package, to / "site")
    for file in extra:
        shutil.copy2(file, to / "work")
    programs = [to / "python/bin/python3", *to.rglob("*.so"), *to.rglob("*.so.*")]
    for library in _libraries(programs):
        shutil.copy2(library, to / ("lib64" if library.name.startswith("ld-linux") else "lib"))
    compileall.compile_dir(to, quiet=2, stripdir=str(to))  # what is compiled here already is taken as it is


def _closure(name: str) -> Iterator[Distribution]:
    """A distribution and everything that it requires, each once."""
    waiting, seen = [name], set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        found = distribution(name)
        yield found
        needs = [need for need in found.requires or () if "extra ==" not in need]
        waiting += [re.split(r"[^A-Za-z0-9._-]", need, maxsplit=1)[0] for need in needs]


def _copy_distribution(package: Distribution, to: Path) -> None:
    for file in package.files or ():
        source = Path(str(package.locate_file(file)))
        if ".." not in file.parts and source.suffix != ".pth" and source.exists():
            (to / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, to / file)


def _libraries(programs: Iterable[Path]) -> set[Path]:
    """The shared libraries of this machine that these need, as its own loader finds them."""
    told = subprocess.run(["ldd", *programs], capture_output=True, text=True, check=False).stdout
    return {Path(path) for path in re.findall(r"(/\S+\.so\S*) \(0x", told)}


def _only(found: Iterable[Path]) -> Path:
    for path in found:
        return path
    raise GuestUnusable(f"{KERNEL} holds no kernel: .ci/guest-kernel unpacks one there")
