"""Where a store is not what a native file is, on purpose: each is told in docs/limits.md. A program ends at such a difference."""


def link_character_set(kind, name, arguments, native, ours):
    """A link whose name is not ASCII is UTF-8."""
    return name == "link_info" and not arguments[1].isascii() and native[0] == ours[0] == "is" and native[1][::2] == ours[1][::2]


def copy_that_hdf5_gives_up(kind, name, arguments, native, ours):
    """H5Ocopy between native files ends at soft links that lead nowhere or in a circle, at types that it cannot convert,
    and crashes at some datasets of variable text that have committed types."""
    return name == "copy" and native[0] in ("raised", "died") and ours[0] == "is"


KNOWN = [link_character_set, copy_that_hdf5_gives_up]


def is_known(*step):
    return any(known(*step) for known in KNOWN)
