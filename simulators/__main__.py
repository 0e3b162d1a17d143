"""`python -m simulators shuffler|shoe|progressive --link PATH`: a device at the end of a cable, without any daemon."""

from simulators.cli.main import sim

if __name__ == "__main__":
    sim(prog_name="python -m simulators")
