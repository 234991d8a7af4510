/* annotation.h - the annotation of a node (docs/format.md, "_HDF5"): its keys, edited in node->annotation. */
#ifndef VZ_ANNOTATION_ANNOTATION_H
#define VZ_ANNOTATION_ANNOTATION_H

#include "base/util/bytes.h"
#include "base/util/json.h"
#include "hdf5/h5/h5.h"
#include "hierarchy/nodes/node.h"
#include <time.h>

/* Members "t" (with its guard "z"), "s", "l", "f", "p", "pl" of a dataset's annotation: NULL if absent or its guard
 * fails. */
const vz_json *vz_annotation_get(const vz_node *node, const char *key);
/* Takes the value, also on failure; NULL removes the member. Marks the node. */
bool vz_annotation_set(vz_node *node, const char *key, vz_json *take, vz_error *err);

/* -- Comment --
 * what H5Oset_comment says of an object: annotation "cmt", or "cmtb" in base64 when it is not UTF-8. */
char *vz_comment(const vz_node *node, vz_error *err); /* heap; "" where there is none */
/* NULL and "" remove it. */
bool vz_comment_set(vz_node *node, const char *text, vz_error *err);

/* -- File creation --
 * settings of a file creation list that mean something to HDF5 files only: free space, sizes of
 * addresses, trees. A store has no use for them and keeps them for who asks. */
/* Puts what differs from HDF5's defaults into the root's annotation ("fc"); the caller marks it as changed. */
bool vz_file_creation_store(vz_node *root, hid_t fcpl, vz_error *err);
/* Sets in `fcpl`, a new list, what the annotation says; an entry that HDF5 does not accept counts for nothing. */
void vz_file_creation_show(const vz_node *root, hid_t fcpl);

/* -- Storage hints --
 * creation properties by which a native file chooses how it stores links and attributes. A store has
 * no use for them, but tells them again: annotation "pl", where they are not HDF5's defaults. */
/* Of any object: H5Pset_attr_phase_change ("ap"). Added to `properties`. */
bool vz_object_hints_store(vz_json *properties, hid_t ocpl, vz_error *err);
void vz_object_hints_show(const vz_json *properties, hid_t ocpl);
/* Of a group, besides: H5Pset_link_phase_change ("lp"), H5Pset_est_link_info ("le"), H5Pset_local_heap_size_hint
 * ("lh").
 */
bool vz_group_hints_store(vz_json *properties, hid_t gcpl, vz_error *err);
void vz_group_hints_show(const vz_json *properties, hid_t gcpl);

/* -- Timestamps --
 * the time of the last change of a dataset, where its creation property list asked for it.
 *
 * HDF5 keeps it in its default file format for datasets only: the time of creation, moved on by a change of the
 * dataset's attributes or extent, not of its elements. */
/* Does a list ask for times? HDF5's default list says yes for everybody who says nothing; so only a list of the
 * program's own counts. */
bool vz_times_wanted(hid_t dcpl, bool *wanted, vz_error *err);
/* What stands in the annotation from the beginning: "tm", seconds. */
vz_json *vz_times_now(vz_error *err);
/* Does the node keep times? *changed: the last one (0: none). */
bool vz_times_kept(const vz_node *node, time_t *changed);
/* The node was changed, as far as HDF5 counts it. */
bool vz_times_touch(vz_node *node, vz_error *err);

/* -- Unusual name --
 * names that are not UTF-8, so that neither JSON nor a Zarr dtype can hold them: an escaped form for
 * people to read, and an exact one for annotations. */
/* Appends the name with %XX for each byte that is not UTF-8; for the first byte where all of it is. */
bool vz_unusual_name_escape(vz_buffer *out, const char *name, vz_error *err);

/* A name in an annotation: text, or where it is not UTF-8 {"b": its bytes in base64}. */
vz_json *vz_unusual_name_print(const char *name, vz_error *err);
/* On the heap; NULL without an error where `form` is no name. */
char *vz_unusual_name_parse(const vz_json *form, vz_error *err);

#endif
