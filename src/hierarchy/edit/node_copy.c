/* node_copy.c - see edit.h. Stored values are copied as bytes, so codecs that are missing here are
 * no obstacle. */
#include "hierarchy/edit/edit_internal.h"
#include "hierarchy/nodes/pending_value.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/member.h"
#include "hierarchy/nodes/root_move_log.h"
#include "hierarchy/nodes/alias.h"
#include "hierarchy/nodes/node_state.h"
#include "hierarchy/writeback/writeback.h"
#include <stdlib.h>

/* Annotations that speak of this node only: what a root tells of its store, links, the added
 * reference count. */
static const char *const own_notes[] = {VZ_ANNOTATION_MARK,
                                        "dc",
                                        "d",
                                        "fc",
                                        "zl",
                                        VZ_ANNOTATION_ALIASES,
                                        VZ_ANNOTATION_REFERENCES,
                                        VZ_ANNOTATION_MOVES,
                                        VZ_ANNOTATION_LINKS,
                                        VZ_ANNOTATION_ARRAYS,
                                        VZ_ANNOTATION_NAMES,
                                        "rc",
                                        "us",
                                        VZ_ANNOTATION_UNSEEN,
                                        NULL};

/* ---- chunks ---- */

/* A prefix, or key, of a store. */
typedef struct place {
    vz_store *store;
    const char *key;
} place;

static bool copy_value(place from, place to, vz_error *err)
{
    vz_buffer value = {0};
    bool found = false;
    const bool ok = vz_store_get(from.store, from.key, VZ_WHOLE, &value, &found, err) &&
                    (!found || vz_store_put(to.store, to.key, (vz_bytes){.data = value.data, .size = value.size}, err));
    vz_buffer_clear(&value);
    return ok;
}

/* Keys of chunks are numbers, with dots or slashes between them, in format 3 with a "c" in
 * front; documents and nodes below begin otherwise. A list of references stands for them. */
static bool is_chunk_part(const char *name)
{
    if (strcmp(name, VZ_META_REFERENCES_NAME) == 0)
        return true;
    name += *name == 'c';
    return name[strspn(name, "0123456789.")] == '\0';
}

typedef enum wanted { CHUNKS, OTHERS, ALL } wanted;

static bool copy_below(place from, place to, wanted what, unsigned depth, vz_error *err);

static bool copy_entry(place from, place to, const vz_entry *entry, wanted what, unsigned depth, vz_error *err)
{
    char *from_key = vz_document_key_join(from.key, entry->name, err);
    char *to_key = from_key ? vz_document_key_join(to.key, entry->name, err) : NULL;
    const place from_entry = {from.store, from_key}, to_entry = {to.store, to_key};
    bool ok = to_key != NULL;
    if (ok && entry->is_prefix)
        ok = copy_below(from_entry, to_entry, what == CHUNKS ? CHUNKS : ALL, depth + 1, err);
    else if (ok)
        ok = copy_value(from_entry, to_entry, err);
    free(from_key);
    free(to_key);
    return ok;
}

static bool copy_below(place from, place to, wanted what, unsigned depth, vz_error *err)
{
    vz_entry *entries = NULL;
    size_t count = 0;
    if (depth > VZ_MAX_RANK + 1) /* chunk keys have a part for each dimension */
        return what == CHUNKS || vz_fail(err, VZ_LIMIT, "\"%.100s\" is nested too deeply", from.key);
    bool ok = vz_store_list(from.store, from.key, &entries, &count, err);
    for (size_t i = 0; ok && i < count; i++)
        if (what == ALL || is_chunk_part(entries[i].name) == (what == CHUNKS))
            ok = copy_entry(from, to, &entries[i], what, depth, err);
    vz_entries_free(entries, count);
    return ok;
}

bool vz_edit_chunks_copy(vz_store *from, const char *from_prefix, vz_store *to, const char *to_prefix, vz_error *err)
{
    return copy_below((place){from, from_prefix}, (place){to, to_prefix}, CHUNKS, 0, err);
}

bool vz_edit_others_copy(vz_store *store, const char *from, const char *to, vz_error *err)
{
    return copy_below((place){store, from}, (place){store, to}, OTHERS, 0, err);
}

static bool copy_chunks(vz_node *node, vz_node *copy, vz_error *err)
{
    if (!vz_flush_chunks(node, err))
        return false;
    if (vz_node_understood(node) && node->meta->is_referenced && copy->hierarchy != node->hierarchy)
        return vz_fail(err, VZ_UNSUPPORTED,
                       "its chunks are references to another file, whose names count from this store: they are not "
                       "copied to another one (h5zarr convert copies the elements)");
    char *from = vz_node_prefix(node, err);
    const bool ok =
        from && vz_edit_chunks_copy(node->hierarchy->store, from, copy->hierarchy->store, copy->partial, err);
    copy->was_stored = true;
    free(from);
    return ok;
}

/* ---- documents ---- */

static bool copy_json(const vz_json *value, vz_json **copy, vz_error *err)
{
    vz_json *made = value ? vz_json_copy(value, err) : NULL;
    if (value && !made)
        return false;
    vz_json_free(*copy);
    *copy = made;
    return true;
}

static bool copy_documents(const vz_node *node, vz_node *copy, vz_error *err)
{
    if (!copy_json(node->attributes, &copy->attributes, err) || !copy_json(node->annotation, &copy->annotation, err) ||
        !copy_json(node->document, &copy->document, err))
        return false;
    for (size_t i = 0; own_notes[i]; i++)
        vz_json_remove(copy->annotation, own_notes[i]);
    if (node->meta_error)
        vz_node_set_meta_error(copy, node->meta_error);
    return true;
}

static vz_node *new_like(const vz_node *node, vz_hierarchy *to, vz_error *err)
{
    if (node->kind == VZ_NODE_GROUP)
        return vz_group_new(to, node->track_order, err);
    vz_meta *meta = node->meta ? vz_meta_copy(node->meta, err) : NULL;
    return meta || !node->meta ? vz_node_new_array_like(to, node->zarr_format, meta, err) : NULL;
}

vz_node *vz_edit_copy(vz_node *node, vz_hierarchy *to, bool chunks, vz_error *err)
{
    vz_node *copy = vz_deferred_render(node, err) ? new_like(node, to, err) : NULL;
    if (!copy)
        return NULL;
    copy->zarr_format = node->zarr_format;
    if (copy_documents(node, copy, err) && (!chunks || node->kind != VZ_NODE_ARRAY || copy_chunks(node, copy, err)))
        return copy;
    vz_node_unref(copy);
    return NULL;
}
