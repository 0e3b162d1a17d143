"""`python -m controller.cli`: as the units and the daemon's child processes begin a command."""

from controller.cli.main import main

if __name__ == "__main__":
    main()
