/* collect_documents.c - the copy of one group: the documents below it are collected from the
 * store. Where the copy stands is metadata_location.c's business. */
#include "hierarchy/consolidated/consolidated_internal.h"
#include "hierarchy/documents/documents.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/node_state.h"
#include "hierarchy/consolidated/prefetch_internal.h"
#include "store/store/prefetch.h"
#include <errno.h>
#include <stdlib.h>

#define DEPTH_MAX 512
#define ATTEMPTS  20 /* each that fails is another process that put a copy */

typedef struct collector {
    vz_hierarchy *hierarchy;
    vz_store *store;
    const char *base; /* prefix of the group that gets the copy */
    const vz_zarr_format *zarr_format;
    vz_json *metadata;
    bool collected; /* nothing failed */
    bool possible;  /* until a node turns up that not every reader understands */
    char *blocked;  /* its prefix; heap, NULL: there is none, or no memory for it */
} collector;

/* A key as seen from the group that gets the copy. */
static const char *below_base(const collector *c, const char *key)
{
    const size_t length = strlen(c->base);
    return length ? key + length + 1 : key;
}

/* Parses the text of a document. *readable: does every reader understand the array that it
 * describes? NULL: it cannot stand in consolidated metadata, or there is no memory. */
static vz_json *take_text(const collector *c, const vz_buffer *text, uint64_t hash, bool is_array, bool *readable)
{
    const char *bytes = (const char *)text->data;
    const vz_text_facts known = vz_doc_cache_facts(c->hierarchy->documents, hash);
    if (known.values && (known.is_array || !is_array)) {
        *readable = known.readable;
        return vz_json_printed(bytes, text->size, known.values, NULL);
    }
    vz_json *parsed = vz_json_parse_within(bytes, text->size, VZ_DOCUMENT_MAX_VALUES, NULL);
    *readable = is_array && parsed && c->zarr_format->readable(parsed);
    return parsed;
}

/* `key` is that of the document. */
static bool get(const collector *c, const char *prefix, const char *document, const char *key, vz_buffer *text,
                uint64_t *hash, bool *found, vz_error *err)
{
    *found = vz_doc_cache_take_written(c->hierarchy->documents, key, text, hash);
    if (*found)
        return true;
    const bool ok = vz_document_get(c->store, prefix, document, text, found, err);
    *hash = ok && *found ? vz_hash_text(text->data, text->size) : 0;
    return ok;
}

/* Takes the document into the collection, if it is there. */
static bool collect_document(collector *c, const char *prefix, const char *document, bool *there, bool *readable,
                             vz_error *err)
{
    vz_buffer text = {0};
    uint64_t hash;
    *there = *readable = false;
    char *key = vz_document_key_join(prefix, document, err);
    bool ok = key && get(c, prefix, document, key, &text, &hash, there, err);
    if (ok && *there) {
        vz_json *value = take_text(c, &text, hash, document == c->zarr_format->array, readable);
        c->possible = c->possible && value;
        *there = value;
        ok = !value || vz_json_set(c->metadata, below_base(c, key), value, err);
    }
    free(key);
    vz_buffer_clear(&text);
    return ok;
}

static bool collect(collector *c, const char *prefix, unsigned depth, vz_error *err);

static bool collect_below(collector *c, const char *prefix, unsigned depth, vz_error *err)
{
    vz_entry *entries = NULL;
    size_t count = 0;
    bool ok = vz_store_list_first(c->store, prefix, &entries, &count, err);
    for (size_t i = 0; ok && c->possible && i < count; i++) {
        if (!entries[i].is_prefix)
            continue;
        char *below = vz_document_key_join(prefix, entries[i].name, err);
        ok = below && collect(c, below, depth + 1, err);
        free(below);
    }
    vz_entries_free(entries, count);
    return ok;
}

/* Each group in the copy carries an empty one, or zarr-python would look for its members in the
 * store. */
static bool set_empty_copy(vz_json *document, vz_error *err)
{
    vz_json *nothing = vz_json_object(err), *copy = nothing ? vz_consolidated_copy_inline(nothing, err) : NULL;
    return copy && vz_json_set(document, VZ_CONSOLIDATED, copy, err);
}

/* Where the copy goes is not in it. */
static bool collect_node(collector *c, const char *prefix, vz_json *document, vz_error *err)
{
    const bool is_group = c->zarr_format->says(document) == VZ_SAYS_GROUP, is_base = strcmp(prefix, c->base) == 0;
    if (!is_base && (!is_group || set_empty_copy(document, err)))
        return vz_json_set(c->metadata, below_base(c, prefix), document, err);
    vz_json_free(document);
    return is_base;
}

/* An array's document that was printed here, as it is. *done=false (and true returned): it is
 * none. */
static bool collect_known(collector *c, const char *prefix, const vz_buffer *text, uint64_t hash, bool *done,
                          vz_error *err)
{
    const vz_text_facts known = vz_doc_cache_facts(c->hierarchy->documents, hash);
    *done = known.is_array && known.readable && strcmp(prefix, c->base) != 0;
    return !*done || vz_json_set(c->metadata, below_base(c, prefix),
                                 vz_json_printed((const char *)text->data, text->size, known.values, err), err);
}

static bool collect_nodes(collector *c, const char *prefix, unsigned depth, vz_error *err)
{
    vz_buffer text = {0};
    uint64_t hash;
    bool found = false, done = false;
    char *key = vz_document_key_join(prefix, c->zarr_format->array, err);
    bool ok = key && get(c, prefix, c->zarr_format->array, key, &text, &hash, &found, err) &&
              (!found || collect_known(c, prefix, &text, hash, &done, err));
    free(key);
    vz_json *document = ok && found && !done
                            ? vz_document_parse(c->zarr_format->array, (const char *)text.data, text.size, NULL)
                            : NULL;
    vz_buffer_clear(&text);
    if (!ok || done)
        return ok;
    c->possible =
        c->possible && document && (c->zarr_format->readable(document) || vz_consolidated_had(c->hierarchy, document));
    const bool is_group = c->zarr_format->says(document) == VZ_SAYS_GROUP;
    c->possible = c->possible && (is_group || depth > 0);
    if (!c->possible) {
        vz_json_free(document);
        return ok;
    }
    return collect_node(c, prefix, document, err) && (!is_group || collect_below(c, prefix, depth, err));
}

/* A copy is asked for of groups only. */
static bool collect_documents(collector *c, const char *prefix, unsigned depth, vz_error *err)
{
    bool array = false, group = false, attributes, readable = false, ignored;
    if ((depth > 0 && !collect_document(c, prefix, c->zarr_format->array, &array, &readable, err)) ||
        (!array && !collect_document(c, prefix, c->zarr_format->group, &group, &ignored, err)) ||
        !collect_document(c, prefix, c->zarr_format->attributes, &attributes, &ignored, err))
        return false;
    c->possible = c->possible && (group || (array && readable));
    return !group || !c->possible || collect_below(c, prefix, depth, err);
}

/* A directory without documents (or one of another format) among them: readers that find none of
 * it in the copy would take it for missing. */
static bool collect(collector *c, const char *prefix, unsigned depth, vz_error *err)
{
    bool ok = true;
    if (depth > DEPTH_MAX)
        c->possible = false;
    else
        ok = c->zarr_format->consolidated ? collect_documents(c, prefix, depth, err)
                                          : collect_nodes(c, prefix, depth, err);
    if (ok && !c->possible && !c->blocked)
        c->blocked = strdup(prefix);
    return ok;
}

/* Of what keeps a copy from being made, a system that fails is reported. A node that is damaged,
 * or not for us to read, or moved too deep for any path, was so before. The store is as good
 * without a copy, and readers meet what is wrong where it is. */
static bool is_ours_to_tell(const vz_error *failed)
{
    return (failed->class == VZ_IO && failed->sys_errno != ENAMETOOLONG) || failed->class == VZ_NO_MEMORY;
}

static bool show_listings(const collector *c, vz_error *err)
{
    return vz_doc_cache_show_listings(c->hierarchy->documents, c->store, c->hierarchy->root->zarr_format->group, err);
}

/* All documents, from the store; what was prefetched for it is kept. NULL without an error: some
 * reader would not understand one of them. */
static vz_json *collect_all(collector *c, vz_error *err)
{
    const bool is_far = vz_hierarchy_is_remote(c->hierarchy); /* then all of it is read at once */
    const uint64_t refusals = vz_refusals_counted();
    c->possible = true;
    c->metadata = vz_json_object(err);
    c->collected = c->metadata &&
                   (!is_far || (vz_store_pin_prefetched(c->store, err) && (*c->base || show_listings(c, err)) &&
                                vz_doc_cache_show_written(c->hierarchy->documents, c->store, c->zarr_format, err) &&
                                vz_tree_prefetch(c->store, c->zarr_format, c->base, c->hierarchy, err))) &&
                   collect(c, c->base, 0, err);
    if (vz_refusals_counted() != refusals) /* readers would take what was only refused for missing
                                            * from now on */
        c->possible = false;
    if (c->collected && c->possible)
        return c->metadata;
    vz_json_free(c->metadata);
    return NULL;
}

/* Of several processes that close at once, who is last is to leave a copy with everything in it.
 * So it is put on condition that nobody put or removed one since its documents began to be read. */
static bool collect_and_put(collector *c, vz_error *err)
{
    vz_consolidated_location place = {.hierarchy = c->hierarchy, .base = c->base, .zarr_format = c->zarr_format};
    vz_error failed = VZ_ERROR_NONE;
    vz_json *metadata;
    bool ok = vz_consolidated_copy_expect(&place, &failed);
    for (unsigned attempt = 0; ok && attempt < ATTEMPTS; attempt++) {
        if (attempt > 0 && !vz_consolidated_copy_look(&place, &failed))
            break;
        metadata = collect_all(c, &failed);
        const bool ends =
            !metadata || vz_consolidated_copy_put(&place, metadata, &failed) || failed.class != VZ_CHANGED;
        if (vz_hierarchy_is_remote(c->hierarchy))
            vz_store_forget_prefetched(c->store, NULL);
        if (ends)
            break;
        ok = attempt + 1 < ATTEMPTS;
        failed = VZ_ERROR_NONE;
    }
    if (!ok && failed.class == VZ_OK) /* others were faster each time, and what is there may lack
                                       * what was written here */
        return vz_consolidated_copy_remove(&place, err);
    if (failed.class != VZ_OK && err)
        *err = failed;
    return failed.class == VZ_OK;
}

bool vz_consolidated_put(vz_hierarchy *hierarchy, const char *base, const vz_zarr_format *zarr_format, char **blocked,
                         vz_error *err)
{
    collector c = {.hierarchy = hierarchy, .store = hierarchy->store, .base = base, .zarr_format = zarr_format};
    vz_error failed = VZ_ERROR_NONE;
    const bool ok = collect_and_put(&c, &failed);
    /* One that was collected may be larger than anybody would read. */
    const bool tells = c.collected ? failed.class != VZ_LIMIT : blocked || is_ours_to_tell(&failed);
    if (blocked)
        *blocked = c.blocked;
    else
        free(c.blocked);
    if (ok || !tells)
        return true;
    if (err)
        *err = failed;
    return false;
}
