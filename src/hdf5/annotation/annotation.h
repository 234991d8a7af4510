/* annotation.h - the annotation of a node (docs/format.md, "_HDF5"). Its members are edited in
 * node->annotation. */
#ifndef VZ_ANNOTATION_ANNOTATION_H
#define VZ_ANNOTATION_ANNOTATION_H

#include "base/util/bytes.h"
#include "base/util/json.h"
#include "hdf5/h5/h5.h"
#include "hierarchy/nodes/node.h"
#include <time.h>

/* A member of a dataset's annotation: "t" (with its guard "z"), "s", "l", "f", "p", "pl" ...
 * Borrowed. NULL if it is absent or its guard fails. */
const vz_json *vz_annotation_get(const vz_node *node, const char *key);
/* Sets a member and marks the node as changed. Takes the value, also on failure; NULL removes
 * the member. */
bool vz_annotation_set(vz_node *node, const char *key, vz_json *take, vz_error *err);

/* -- Comment --
 * The comment of H5Oset_comment: member "cmt", or "cmtb" in base64 if it is not UTF-8. */
char *vz_comment(const vz_node *node, vz_error *err); /* heap; "" without a comment */
/* Sets the comment; NULL and "" remove it. */
bool vz_comment_set(vz_node *node, const char *text, vz_error *err);

/* -- File creation --
 * Settings of a file creation list that only HDF5 files use: free space, sizes of addresses,
 * trees. A store keeps them and returns them. */
/* Puts the settings that differ from HDF5's defaults into the root's annotation ("fc"). The
 * caller marks it as changed. */
bool vz_annotation_file_store(vz_node *root, hid_t fcpl, vz_error *err);
/* Sets the stored settings in `fcpl`, a new list. An entry that HDF5 does not accept is ignored. */
void vz_annotation_file_show(const vz_node *root, hid_t fcpl);

/* -- Storage hints --
 * Creation properties that tell a native file how to store links and attributes. A store keeps
 * those that differ from HDF5's defaults ("pl") and returns them. */
/* Of any object: H5Pset_attr_phase_change ("ap"). `properties` gets the member. */
bool vz_hints_store_object(vz_json *properties, hid_t ocpl, vz_error *err);
void vz_hints_show_object(const vz_json *properties, hid_t ocpl);
/* Of a group also: H5Pset_link_phase_change ("lp"), H5Pset_est_link_info ("le"),
 * H5Pset_local_heap_size_hint ("lh"). */
bool vz_hints_store_group(vz_json *properties, hid_t gcpl, vz_error *err);
void vz_hints_show_group(const vz_json *properties, hid_t gcpl);

/* -- Timestamps --
 * The time of a dataset's last change, if its creation property list asked for it.
 *
 * HDF5's default file format has it for datasets only: the time of creation, or of the last
 * change of the dataset's attributes or extent. Changes of elements do not count. */
/* Does a list ask for times? HDF5's default list always does, so only a list of the program's
 * own counts. */
bool vz_times_wanted(hid_t dcpl, bool *wanted, vz_error *err);
/* The member "tm" of a new dataset: seconds. */
vz_json *vz_times_now(vz_error *err);
/* Does the node keep times? *changed: the last one, 0 if there is none. */
bool vz_times_kept(const vz_node *node, time_t *changed);
/* Sets the time to now, if the node keeps times. */
bool vz_times_touch(vz_node *node, vz_error *err);

/* -- Unusual name --
 * Names that are not UTF-8, so neither JSON nor a Zarr dtype can hold them. They have an escaped
 * form for people, and an exact form for annotations. */
/* Appends the name with %XX for each byte that is not UTF-8. If all of it is UTF-8, the first
 * byte is escaped. */
bool vz_unusual_name_escape(vz_buffer *out, const char *name, vz_error *err);

/* The exact form: text, or {"b": bytes in base64} if the name is not UTF-8. A new value. */
vz_json *vz_unusual_name_print(const char *name, vz_error *err);
/* The name of an exact form, on the heap. NULL without an error if `form` is no name. */
char *vz_unusual_name_parse(const vz_json *form, vz_error *err);

#endif
