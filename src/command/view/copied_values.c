/* copied_values.c - what was copied into the store of a view: documents, and elements that cannot
 * be referred to. */
#include "command/view/view_internal.h"
#include "base/util/c_library.h"
#include "hierarchy/documents/documents.h"
#include <stdlib.h>

/* Prefixes that are still to be gone through: no depth is too much. */
typedef struct prefixes {
    char **items;
    size_t count, capacity;
} prefixes;

/* Takes the prefix over. */
static bool push(prefixes *list, char *prefix, vz_error *err)
{
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity ? 2 * list->capacity : 64;
        char **items = vz_realloc_items(list->items, capacity, sizeof *items);
        if (!items) {
            free(prefix);
            return vz_fail_memory(err);
        }
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = prefix;
    return true;
}

bool vz_view_write_value(vz_view *view, const char *key, const char *name, vz_error *err)
{
    vz_buffer value = {0};
    bool found = false;
    if (vz_strmap_get(view->skipped, key))
        return true;
    bool ok = vz_store_get(vz_hierarchy_store(view->request->root->hierarchy), key, VZ_WHOLE, &value, &found, err);
    const bool is_document = vz_zarr_is_document(name);
    ok = ok && (!found || !is_document || vz_view_finish_document(view, key, name, &value, err));
    const vz_bytes bytes = {value.data, value.size};
    if (ok && found)
        ok = is_document ? vz_view_output_document(&view->out, key, bytes, err)
                         : vz_view_output_bytes(&view->out, key, bytes, err);
    vz_buffer_clear(&value);
    return ok;
}

static bool write_below(vz_view *view, const char *prefix, prefixes *left, vz_error *err)
{
    vz_entry *entries = NULL;
    size_t count = 0;
    bool ok = vz_store_list(vz_hierarchy_store(view->request->root->hierarchy), prefix, &entries, &count, err);
    for (size_t i = 0; ok && i < count; i++) {
        char *key = vz_document_key_join(prefix, entries[i].name, err);
        ok = key != NULL;
        if (ok && entries[i].is_prefix) {
            ok = push(left, key, err);
            continue;
        }
        ok = ok && vz_view_write_value(view, key, entries[i].name, err);
        free(key);
    }
    vz_entries_free(entries, count);
    return ok;
}

bool vz_view_write_store(vz_view *view, vz_error *err)
{
    prefixes left = {0};
    char *root = strdup("");
    bool ok = root ? push(&left, root, err) : vz_fail_memory(err);
    while (left.count > 0) {
        char *prefix = left.items[--left.count];
        ok = ok && write_below(view, prefix, &left, err);
        free(prefix);
    }
    free(left.items);
    return ok;
}
