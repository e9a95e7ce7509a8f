"""``python -m segjudge``."""

from segjudge.cli import main

if __name__ == "__main__":
    main()
