"""Where a store is not what a native file is, on purpose (docs/limits.md tells it), or a native file fails. A program ends at such a difference."""


def link_character_set(kind, name, arguments, native, ours):
    """A link whose name is not ASCII is UTF-8."""
    return name == "link_info" and not arguments[1].isascii() and native[0] == ours[0] == "is" and native[1][::2] == ours[1][::2]


def copy_that_hdf5_gives_up(kind, name, arguments, native, ours):
    """H5Ocopy between native files ends at soft links that lead nowhere or in a circle, at types that it cannot convert,
    and crashes at some datasets of variable text that have committed types."""
    return name in ("copy", "copy_out", "copy_in") and native[0] in ("raised", "died") and ours[0] == "is"


def attribute_character_set(kind, name, arguments, native, ours):
    """An attribute whose name is not ASCII is UTF-8."""
    return name == "attribute_by_index" and native[0] == ours[0] == "is" and not native[1][0].isascii() and native[1][:3] == ours[1][:3]


def write_beyond_a_source(kind, name, arguments, native, ours):
    """HDF5 writes to a virtual dataset what its source has no room for, and drops it or shows it when the source grows."""
    return native[0] == "is" and ours[0] == "raised" and name.startswith(("write", "kept_write")) and "selection is not within" in ours[2]


def without_targets(value, within=False):
    """References in records are all the same."""
    if isinstance(value, dict):
        return {key: without_targets(x, within) for key, x in value.items()}
    if isinstance(value, (list, tuple)):
        if within and len(value) == 2 and value[0] in ("reference", "loose reference"):
            return "reference"
        return [without_targets(x, within or value[:1] == ("record",)) for x in value]
    return value


def references_within_copies(kind, name, arguments, native, ours):
    """To another file H5Ocopy takes references in compounds as they are: they mean anything there. Ours are null."""
    return name in ("copy_out", "copy_in") and native[0] == ours[0] == "is" and without_targets(native[1]) == without_targets(ours[1])


def native_file_is_damaged(kind, name, arguments, native, ours):
    """HDF5 frees the root group with the last of further names that it had: nothing in the file can be trusted then."""
    return native[0] == "raised" and any(text in native[2] for text in ("ran off end of input buffer", "duplicate entry in cache"))


def points_of_virtual_datasets(kind, name, arguments, native, ours):
    """HDF5 has no point selections of some virtual datasets."""
    return native[0] == "raised" and "point selections not currently supported" in native[2] and ours[0] == "is"


def chunks_of_fill(kind, name, arguments, native, ours):
    """With skip_fill=1 chunks of nothing but the fill value are not stored."""
    if kind != "small" or native[0] != "is":
        return False
    if name == "read_chunk":
        return ours[0] == "raised"
    if name not in ("chunks", "chunk_infos") or ours[0] != "is":
        return False
    stored, wanted = (x[1] if name == "chunks" else x[1][0] for x in (ours, native))
    return set(stored) < set(wanted)


KNOWN = [chunks_of_fill, points_of_virtual_datasets, references_within_copies, native_file_is_damaged, attribute_character_set, write_beyond_a_source, link_character_set, copy_that_hdf5_gives_up]


def is_known(*step):
    return any(known(*step) for known in KNOWN)
