/* written_cache.c - documents of arrays that this process made, as it put them when the file was
 * closed: consolidated metadata is made of them, so that what was just written is not read
 * again. In remote stores those of groups too, where all of a node is one document. */
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/node_state.h"
#include "hierarchy/consolidated/prefetch_internal.h"
#include "store/store/prefetch.h"
#include <stdlib.h>

#define OWN_BYTES_MAX ((uint64_t)64 << 20)

struct own_text {
    vz_buffer text;
    uint64_t hash;
};

static void free_text(void *data)
{
    struct own_text *own = data;
    if (own)
        vz_buffer_clear(&own->text);
    free(own);
}

void vz_own_documents_forget(vz_hierarchy *hierarchy)
{
    if (hierarchy->documents.written)
        vz_strmap_free(hierarchy->documents.written, free_text);
    hierarchy->documents.written = NULL;
    hierarchy->documents.written_bytes = 0;
}

/* Of what was there before another process may have changed the rest. */
static bool is_whole(const vz_document_write *write)
{
    return vz_hierarchy_is_remote(write->node->hierarchy) ? write->when == VZ_WHEN_ABSENT : write->node->is_new;
}

void vz_own_documents_keep(vz_document_write *write, uint64_t hash)
{
    vz_hierarchy *hierarchy = write->node->hierarchy;
    if (!hierarchy->flush.closes || !write->printed.key)
        return;
    const bool in_one = vz_spelling_in_one(write->node->spelling);
    if (in_one && write->node == hierarchy->root) {
        vz_tree_prefetch_keep_root(hierarchy, write);
        return;
    }
    if (write->node->kind != VZ_NODE_ARRAY && !(in_one && vz_hierarchy_is_remote(hierarchy)))
        return;
    if (!hierarchy->documents.written && !(hierarchy->documents.written = vz_strmap_new()))
        return;
    struct own_text *own = vz_strmap_get(hierarchy->documents.written, write->printed.key);
    const bool is_new = !own && is_whole(write);
    hierarchy->documents.written_bytes -= own ? own->text.size : 0;
    if (hierarchy->documents.written_bytes + write->printed.text.size > OWN_BYTES_MAX || (!own && !is_new)) {
        free_text(vz_strmap_remove(hierarchy->documents.written, write->printed.key));
        return;
    }
    if (is_new && (!(own = calloc(1, sizeof *own)) ||
                   !vz_strmap_put(hierarchy->documents.written, write->printed.key, own, NULL))) {
        free(own);
        return;
    }
    hierarchy->documents.written_bytes += write->printed.text.size;
    vz_buffer_clear(&own->text);
    own->text = write->printed.text;
    own->hash = hash;
    write->printed.text = (vz_buffer){0};
}

bool vz_own_document_take(vz_hierarchy *hierarchy, const char *key, vz_buffer *text, uint64_t *hash)
{
    struct own_text *own = hierarchy->documents.written ? vz_strmap_remove(hierarchy->documents.written, key) : NULL;
    if (!own)
        return false;
    hierarchy->documents.written_bytes -= own->text.size;
    *text = own->text;
    *hash = own->hash;
    free(own);
    return true;
}

/* Beside the document of an array that was made here stands what was put here, and nothing else. */
static void know_rest(const vz_hierarchy *hierarchy, const vz_spelling *spelling, const char *key)
{
    const char *const others[] = {spelling->says ? NULL : spelling->group, spelling->attributes};
    const size_t length = strlen(key) - strlen(spelling->array);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        vz_buffer other = {0};
        if (others[i] && vz_buffer_printf(&other, NULL, "%.*s%s", (int)length, key, others[i]) &&
            vz_buffer_append(&other, "", 1, NULL) &&
            !vz_strmap_get(hierarchy->documents.written, (const char *)other.data))
            vz_store_know_missing(hierarchy->store, (const char *)other.data);
        vz_buffer_clear(&other);
    }
}

bool vz_own_documents_show(vz_hierarchy *hierarchy, const vz_spelling *spelling, vz_error *err)
{
    size_t cursor = 0;
    const char *key;
    void *text;
    bool ok = true;
    if (!hierarchy->documents.written || !vz_prefetch_table_of(hierarchy->store))
        return true;
    while (ok && vz_strmap_next(hierarchy->documents.written, &cursor, &key, &text)) {
        const vz_version unknown = {0};
        ok = vz_prefetch_keep(hierarchy->store->prefetched, key, true, &unknown, &((struct own_text *)text)->text, err);
        const char *slash = strrchr(key, '/');
        if (ok && slash && strcmp(slash + 1, spelling->array) == 0)
            know_rest(hierarchy, spelling, key);
    }
    vz_own_documents_forget(hierarchy); /* who collects once more reads what others made of them */
    return ok;
}
