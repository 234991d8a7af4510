/* check_internal.h - h5zarr check: what the files check*.c share. */
#ifndef VZ_COMMAND_CHECK_INTERNAL_H
#define VZ_COMMAND_CHECK_INTERNAL_H

#include "base/util/json.h"
#include "command/check/check.h"
#include "hierarchy/documents/documents.h"

/* -- Check report -- */
/* `object`: a key of the store, or the path of something beside it, as `vz_json` text if it is no
 * UTF-8. The chunk has `rank` coordinates (0: it is of no chunk). Any thread. */
void vz_report_find(vz_report *report, vz_finding_kind kind, const char *object, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void vz_report_find_chunk(vz_report *report, const char *array, const char *key, const uint64_t *chunk, unsigned rank,
                          const vz_error *why);
/* Prints the sum, with these members in JSON (taken; NULL: none) and this line in text. Returns the
 * exit status. */
vz_exit vz_report_end(vz_report *report, vz_json *members, const char *line);

/* -- Check -- */
/* All functions return false with err set only where the check cannot go on (memory); what is found
 * is reported. */

/* check_walk.c: the node at a prefix ("" is the root), and all below it. */
bool vz_check_walk(vz_check *check, const char *prefix, vz_error *err);

/* check_dimensions.c: a group begins, ends; an array of it, the names in its document (or NULL). */
bool vz_check_dimensions_begin(vz_check *check, const vz_json *attributes, vz_error *err);
bool vz_check_dimensions_end(vz_check *check, vz_error *err);
bool vz_check_dimensions_of(vz_check *check, const char *prefix, const vz_meta *meta, const vz_json *names,
                            const vz_json *attributes, vz_error *err);

/* check_earlier.c: a group with these attributes. An array, with its document and the names of its
 * dimensions (or NULL). */
void vz_check_earlier_group(vz_check *check, const char *prefix, const vz_json *attributes);
void vz_check_earlier_array(vz_check *check, const char *prefix, const vz_json *document, const vz_json *attributes,
                            const vz_json *names);

/* check_chunks.c */
vz_check_queue *vz_check_queue_new(vz_error *err);
void vz_check_queue_free(vz_check_queue *queue);
/* An array whose chunks will be added, with its attributes (NULL: none); takes `meta`, and `from`,
 * the store of its chunks (NULL: the check's). It is open until it and all its chunks are done
 * with. *opened=false: its codecs are not here, which is reported. */
bool vz_check_queue_array(vz_check *check, const char *prefix, vz_meta *meta, vz_store *from, const vz_json *attributes,
                          bool *opened, vz_error *err);
/* A chunk, or shard, of the array added last; a queue that is full is worked off. */
bool vz_check_queue_chunk(vz_check *check, const uint64_t *at, vz_error *err);
/* Works off what is left. */
bool vz_check_queue_finish(vz_check *check, vz_error *err);

/* check_referenced.c: the store of the chunks of an array that are references. NULL, perhaps
 * without an error: they cannot be had, which is reported. */
vz_store *vz_check_open_referenced(vz_check *check, const char *prefix, const vz_meta *meta, vz_error *err);

/* check_consolidated.c: consolidated metadata, as the documents that it is a copy of are met. */
/* documents: by their names in the copy; borrowed, as long as the copy is open. `key`: where it
 * stands. */
bool vz_check_copy_open(vz_check *check, const char *prefix, const char *key, const vz_zarr_format *zarr_format,
                        const vz_json *documents, vz_error *err);
/* A document of the store, which all open copies should have. */
void vz_check_copy_meet(vz_check *check, const char *prefix, const char *document, const vz_zarr_format *zarr_format,
                        const vz_json *value);
/* All below the group of the innermost open copy was met. */
void vz_check_copy_close(vz_check *check);

/* check_targets.c */
vz_check_targets *vz_check_targets_new(vz_error *err);
void vz_check_targets_free(vz_check_targets *targets);
/* Where a reference leads. */
typedef struct vz_check_target {
    const char *file; /* another one, as it is named there; NULL: this store */
    const char *path;
    uint64_t since; /* the number of the last move that the path knows */
} vz_check_target;
typedef bool (*vz_check_visit)(vz_check *check, const char *where, const vz_check_target *target, vz_error *err);
/* Notes the target of an element, to be looked at later; any thread. */
bool vz_check_note(vz_check *check, const char *array, const vz_check_target *target, vz_error *err);
bool vz_check_each_noted(vz_check *check, vz_check_visit visit, vz_error *err);
/* Answers about a target that was looked at before, by its unique text; the caller is alone. */
bool vz_check_known(const vz_check *check, const char *text, bool *is);
void vz_check_remember(vz_check *check, const char *text, bool is);

/* check_references.c */
/* Links and references that stand in a node's attributes. */
bool vz_check_attributes(vz_check *check, const char *prefix, const vz_json *attributes, vz_error *err);
/* Each reference within a JSON value, however deep in lists and rows. */
bool vz_check_each_reference(vz_check *check, const char *where, const vz_json *value, vz_check_visit visit,
                             vz_error *err);
/* Looks at the noted targets. */
bool vz_check_follow_noted(vz_check *check, vz_error *err);

/* check_elements.c */
/* Do the elements of such an array hold references? */
bool vz_check_is_of_references(const vz_json *attributes);
/* Elements of such an array. path_fields: members of a compound that are paths (a list of names;
 * NULL: none). Any thread. */
void vz_check_note_items(vz_check *check, const char *array, const vz_dtype *dtype, const vz_item *items, size_t count);
void vz_check_note_elements(vz_check *check, const char *array, const vz_dtype *dtype, const vz_json *path_fields,
                            const uint8_t *elements, size_t count);

/* check_external.c: a link or reference (`what`) to something in another file, of which stores are
 * looked into. */
bool vz_check_other_file(vz_check *check, const char *where, const char *what, const char *file, const char *path,
                         vz_error *err);

/* check_leftovers.c */
bool vz_check_leftovers(vz_check *check, vz_error *err);
/* Reports unfinished objects at a prefix, which no listing shows. */
bool vz_check_partials(vz_check *check, const char *prefix, vz_error *err);

#endif
