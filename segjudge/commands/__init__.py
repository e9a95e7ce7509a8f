"""The commands, by topic: options in, library call, report out."""
