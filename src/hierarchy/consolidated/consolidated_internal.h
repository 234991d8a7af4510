/* consolidated_internal.h - where consolidated metadata stands, and how it is put and removed. */
#ifndef VZ_CONSOLIDATED_CONSOLIDATED_INTERNAL_H
#define VZ_CONSOLIDATED_CONSOLIDATED_INTERNAL_H

#include "hierarchy/consolidated/consolidated.h"

/* collect_documents.c */
/* Writes the consolidated metadata of one group; nothing if the group is gone or has another
 * Zarr format. *blocked: the prefix of what keeps it from being made, heap; NULL: nothing does.
 * `blocked` may be NULL: nobody asks. */
bool vz_consolidated_put(vz_hierarchy *hierarchy, const char *base, const vz_zarr_format *zarr_format, char **blocked,
                         vz_error *err);

/* metadata_location.c */
/* Place of the consolidated metadata of one group, and the version that is expected there when
 * it is written. */
typedef struct vz_consolidated_location {
    vz_hierarchy *hierarchy;
    const char *base; /* prefix of the group */
    const vz_zarr_format *zarr_format;
    vz_version version; /* of a copy in a document of its own; size 0: there is none */
    uint64_t hash;      /* of the group's document, where the copy stands in that; 0: there is
                         * none */
} vz_consolidated_location;

/* Expects what this process last read or wrote there. Asks the store only if nothing is known. */
bool vz_consolidated_copy_expect(vz_consolidated_location *place, vz_error *err);
/* what is there now */
bool vz_consolidated_copy_look(vz_consolidated_location *place, vz_error *err);

/* Takes `metadata`, also on failure. VZ_CHANGED: something else is there. */
bool vz_consolidated_copy_put(vz_consolidated_location *place, vz_json *metadata, vz_error *err);

/* Deletes one that stands in a document of its own, where it is there. A writer that puts one holds
 * the lock of the one that it replaces. Without the lock, its copy would take the place of a newer
 * one that is put behind this deletion. */
bool vz_consolidated_copy_delete(const vz_hierarchy *hierarchy, const char *key, vz_error *err);
bool vz_consolidated_copy_remove(vz_consolidated_location *place, vz_error *err);

/* {"kind": "inline", "must_understand": false, "metadata": take}; NULL on failure. */
vz_json *vz_consolidated_copy_inline(vz_json *take, vz_error *err);

/* dropped_metadata.c: consolidated metadata that was dropped. Takes `copy`, also on failure. */
bool vz_consolidated_remember(vz_hierarchy *hierarchy, const char *prefix, vz_json *copy, vz_error *err);
/* Did it list an array of the same type and codecs? Its writer can read such arrays. */
bool vz_consolidated_had(const vz_hierarchy *hierarchy, const vz_json *document);

/* split_documents.c */
bool vz_consolidated_has(const char *key); /* is it the key of a document that consolidated metadata
                                            * holds? */

#endif
