"""Where a store is not what a native file is, on purpose (docs/limits.md tells it), or a native file fails. A program ends at such a difference, unless
nothing was changed."""

import signal


def link_character_set(kind, name, arguments, native, ours):
    """A link whose name is not ASCII is UTF-8."""
    return name == "link_info" and not arguments[1].isascii() and native[0] == ours[0] == "is" and native[1][::2] == ours[1][::2]


def copy_that_hdf5_gives_up(kind, name, arguments, native, ours):
    """H5Ocopy between native files ends at soft links that lead nowhere or in a circle, at types that it cannot convert,
    and crashes at some datasets of variable text that have committed types."""
    return name in ("copy", "copy_out", "copy_in") and native[0] in ("raised", "died") and ours[0] == "is"


def lost_references_expanded(kind, name, arguments, native, ours):
    """What HDF5 copies from the place of a deleted object depends on what was written there since; it may fail or crash."""
    return name in ("copy", "copy_out", "copy_in") and ours[0] == "raised" and "a reference that leads to no object" in ours[2]


def attribute_character_set(kind, name, arguments, native, ours):
    """An attribute whose name is not ASCII is UTF-8."""
    return name == "attribute_by_index" and native[0] == ours[0] == "is" and not native[1][0].isascii() and native[1][:3] == ours[1][:3]


def write_beyond_a_source(kind, name, arguments, native, ours):
    """HDF5 writes to a virtual dataset what its source has no room for, and drops it or shows it when the source grows."""
    return native[0] == "is" and ours[0] == "raised" and name.startswith(("write", "kept_write")) and "selection is not within" in ours[2]


REFERENCES = ("reference", "loose reference", "region")


def are_alike(native, ours, depth=0):
    """Equal, but for what HDF5 makes of references in copies. To another file it takes those in records and sequences, which
    are arrays within arrays, as they are: they mean anything there, and ours are null. It writes beyond a buffer where
    filtered chunks hold references, so that one is not null but leads nowhere. Those of a group it expands before or
    after the members have copies, as the messages lie in its header; ours come after."""
    if isinstance(native, dict) and isinstance(ours, dict):
        return native.keys() == ours.keys() and all(are_alike(native[key], ours[key]) for key in native)
    if not isinstance(native, (list, tuple)) or type(native) is not type(ours) or len(native) != len(ours):
        return native == ours
    if depth > 1 and len(native) == 2 and native[0] in REFERENCES:
        return ours[0] in REFERENCES
    if native and native[0] in REFERENCES and native[1] == "nothing" and ours == ("reference", None):
        return True
    if native and native[0] in REFERENCES and native[1] == "/~obj_pointed_by_":
        return (native[0], *native[2:]) == (ours[0], *ours[2:])
    deeper = {"array": 1, "record": 2}.get(native[0], 0) if isinstance(native, tuple) and native and isinstance(native[0], str) else 0
    return all(are_alike(a, b, depth + deeper) for a, b in zip(native, ours))


def references_within_copies(kind, name, arguments, native, ours):
    return name in ("copy_out", "copy_in") and native[0] == ours[0] == "is" and are_alike(native[1], ours[1])


def references_that_came_within_copies(kind, name, arguments, native, ours):
    """Of such a copy, later."""
    return native[0] == ours[0] == "is" and are_alike(native[1], ours[1])


def type_of_a_copy(kind, name, arguments, native, ours):
    """A copy of what was made with a committed type that is not copied with it has that type in a store, and one without a name in a native file."""
    return name == "type_of" and native[0] == ours[0] == "is" and native[1][:2] == ours[1][:2] and native[1][2] is None


def native_file_is_damaged(kind, name, arguments, native, ours):
    """HDF5 frees the root group with the last of further hard links that it had: nothing in the file can be trusted then. Nor where a reference
    to a deleted object was followed, whose place is in its cache now and free as well; its functions for scales and H5Oflush do not tell why
    they fail."""
    texts = "ran off end of input buffer", "duplicate entry in cache", "can't insert duplicate key", "new address already in use", "addr overflow", "bad object header version"
    return native[0] == "raised" and (any(text in native[2] for text in texts) or native[3] and ours[0] == "is" and ("Unspecified error in H5DS" in native[2] or native[2] == "H5Oflush"))


def points_of_virtual_datasets(kind, name, arguments, native, ours):
    """HDF5 has no point selections of some virtual datasets."""
    texts = "point selections not currently supported", "different number of elements selected", "locate piece in dataset skip list"
    return native[0] == "raised" and any(text in native[2] for text in texts) and ours[0] == "is" and name.endswith("points")


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


def source_that_is_no_dataset(kind, name, arguments, native, ours):
    """HDF5 1.14 takes it for a missing one, and shows the fill value; HDF5 2 says so."""
    return native[0] == "is" and ours[0] == "raised" and "is not a dataset that can be opened" in ours[2]


def link_of_another_index(kind, name, arguments, native, ours):
    """In some groups with many links H5Ldelete_by_idx of HDF5 deletes another one than H5Lget_name_by_idx names."""
    return name == "delete_by_index" and (native, ours) == (("is", False), ("is", True))


def group_on_the_way_to_a_source(kind, name, arguments, native, ours):
    """HDF5 2 reads no virtual dataset where a group on the way to a source is missing, though it does where the source is."""
    return native[0] == "raised" and "read data (component not found" in native[2] and ours[0] == "is"


def order_of_a_moved_link(kind, name, arguments, native, ours):
    """A link that came from a group with an order of creation says that it has one, where its group now has none."""
    valid = {"link_info": 2, "by_index": 2}.get(name)
    return valid is not None and native[0] == ours[0] == "is" and native[1][:valid] == ours[1][:valid] and (native[1][valid], ours[1][valid]) == (True, False)


def native_process_died(kind, name, arguments, native, ours):
    """HDF5 damages its memory, as where the last name of some groups goes: nothing is left to compare with. It divides by zero
    where points of a virtual dataset lie in a source without elements, and crashes at some sources that are no datasets."""
    died = native[0] == "died" and native[1] in (-signal.SIGABRT, -signal.SIGSEGV, -signal.SIGFPE)
    texts = "selection is not within", "is not a dataset that can be opened"
    return died and (ours[0] == "is" or ours[0] == "raised" and any(text in ours[2] for text in texts))


def name_of_a_moved_type(kind, name, arguments, native, ours):
    """HDF5 tells the old name of a committed type that is open by way of a dataset only."""
    return name == "type_of" and native[:2] == ("raised", "KeyError") and ours[0] == "is" and ours[1][0]


def type_without_a_name(kind, name, arguments, native, ours):
    """Of a committed type whose last name was deleted: HDF5 keeps it for what was made with it, and may tell its old name, which may be another object's by
    now; a store makes it transient."""
    if name != "type_of" or ours[0] != "is" or ours[1][0]:
        return False
    return native[:2] == ("raised", "KeyError") or native[0] == "is" and native[1][:2] == (True, ours[1][1])


def scale_that_was_deleted(kind, name, arguments, native, ours):
    """A dataset keeps references to its scales when they are deleted, and another one cannot be attached in that dimension then; in a native file it can
    where something new has come to the place of the old scale."""
    return name == "attach" and native[0] == "is" and ours[0] == "raised" and "Unspecified error in H5DSattach_scale" in ours[2]


def lacks_references(native, ours):
    """Equal, but for references that a list of them has in the native file alone."""
    if isinstance(native, dict) and isinstance(ours, dict):
        return native.keys() == ours.keys() and all(lacks_references(native[key], ours[key]) for key in native)
    if not isinstance(native, (list, tuple)) or type(native) is not type(ours) or len(native) != len(ours):
        return native == ours
    if native[:2] == ours[:2] == ("array", "object") and all(isinstance(item, tuple) and item[0] in REFERENCES for item in native[3]):
        return all(item in native[3] for item in ours[3]) and native[4:] == ours[4:]
    return all(lacks_references(a, b) for a, b in zip(native, ours))


def list_without_deleted_scales(kind, name, arguments, native, ours):
    """A reference to a scale that was deleted is left out of its dimension's list; in a native file it leads nowhere, or to what came to its place."""
    return native[0] == ours[0] == "is" and "DIMENSION_LIST" in repr((arguments, native[1])) and lacks_references(native[1], ours[1])


def name_by_a_soft_link(kind, name, arguments, native, ours):
    """Of what a soft link leads to over an external link HDF5 tells the soft link's path, which is none in the file that the object is in."""
    if native[0] != "is" or ours[0] != "is":
        return False
    return name == "open_by_index" and native[1][0] == ours[1][0] or name == "names" and native[1][2] == ours[1][2]


def group_that_vanishes(kind, name, arguments, native, ours):
    """HDF5 moves a group into itself that has no name elsewhere: nobody reaches it any more. A store refuses that."""
    return name == "rename" and native[0] == "is" and ours[0] == "raised" and "a group cannot be moved into itself" in ours[2]


def source_of_another_rank(kind, name, arguments, native, ours):
    """HDF5 reads anything from a source whose rank is not that of its mapping, or crashes."""
    return ours[0] == "raised" and "another rank than its selection" in ours[2]


KNOWN = [
    link_character_set, copy_that_hdf5_gives_up, lost_references_expanded, attribute_character_set, write_beyond_a_source, references_within_copies,
    native_file_is_damaged, points_of_virtual_datasets, chunks_of_fill, source_that_is_no_dataset, link_of_another_index, group_on_the_way_to_a_source,
    order_of_a_moved_link, native_process_died, source_of_another_rank, name_of_a_moved_type, group_that_vanishes,
]
OF_COPIES = [references_that_came_within_copies, type_of_a_copy]
def attached_to_a_deleted_scale(kind, name, arguments, native, ours):
    """H5DSis_attached follows every reference of a dimension's list, and gives up at one to a scale that was deleted."""
    return name == "scales_of" and native[0] == "raised" and "H5DSis_attached" in native[2] and ours[0] == "is" and not any(ours[1][:2])


OF_DELETED = [scale_that_was_deleted, list_without_deleted_scales, attached_to_a_deleted_scale, type_without_a_name]
OF_FAR_LINKS = [name_by_a_soft_link]


LOOKS = ["link_info", "attribute_by_index", "by_index", "chunks", "chunk_infos", "read_chunk", "read_points", "type_of", "open_by_index", "names", "everything", "look", "read", "read_list"]


def reason(*step, done=frozenset()):
    """The name of the first of them that a difference is; None: it is none of them. `done`: the names of operations that were done before."""
    known = KNOWN + (OF_COPIES if done & {"copy", "copy_in"} else []) + (OF_DELETED if done & {"delete", "delete_by_index"} else [])
    known += OF_FAR_LINKS if {"soft", "external"} <= done else []
    return next((one.__name__ for one in known if one(*step)), None)
