/* check_referenced.c - arrays whose chunks are references to another file: are their source and its
 * version there? */
#include "array/chunks/array_types.h"
#include "command/check/check_internal.h"
#include "hierarchy/nodes/hierarchy.h"
#include <stdlib.h>

/* Looks at the first chunk of the list: a file that is gone, or another one now, need not be
 * reported for each of them. Asks no server. */
static bool look_at_first(vz_store *store, const char *prefix, const vz_meta *meta, vz_error *why)
{
    vz_entry *entries = NULL;
    size_t count = 0, i = 0;
    uint64_t at[VZ_MAX_RANK];
    vz_stamp stamp;
    bool ok = vz_store_list(store, prefix, &entries, &count, why);
    while (ok && i < count && (entries[i].is_prefix || !vz_chunk_parse_key(meta, entries[i].name, at)))
        i++;
    char *key = ok && i < count ? vz_document_key_join(prefix, entries[i].name, why) : NULL;
    ok = ok && (i == count || (key && vz_store_stat(store, key, &stamp, why)));
    free(key);
    vz_entries_free(entries, count);
    return ok;
}

vz_store *vz_check_open_referenced(vz_check *check, const char *prefix, const vz_meta *meta, vz_error *err)
{
    vz_error why = VZ_ERROR_NONE;
    if (!check->hierarchy) {
        vz_report_find(&check->report, VZ_FINDING_UNJUDGED, prefix,
                       "its chunks are references to another file, and the store cannot be opened");
        return NULL;
    }
    vz_store *store = vz_node_references_open(check->hierarchy, prefix, &why);
    if (store && look_at_first(store, prefix, meta, &why))
        return store;
    vz_store_close(store);
    if (why.class == VZ_NO_MEMORY)
        vz_fail_memory(err);
    else
        vz_report_find(&check->report, VZ_FINDING_CHUNK, prefix, "%s", why.text);
    return NULL;
}
