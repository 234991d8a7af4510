/* consolidated_put.c - the copy of one group: the documents below it are collected from the store, and written where
 * its spelling keeps them. */
#include "hierarchy/consolidated.h"
#include "hierarchy/document.h"
#include "hierarchy/hierarchy.h"
#include "store/ahead.h"
#include <errno.h>
#include <stdlib.h>

#define FORMAT_KEY   "zarr_consolidated_format"
#define METADATA_KEY "metadata"
#define DEPTH_MAX    512

typedef struct collector {
    const vz_hierarchy *hierarchy;
    vz_store *store;
    const char *base; /* prefix of the group that gets the copy */
    const vz_spelling *spelling;
    vz_json *metadata;
    bool possible; /* until a node turns up that not every reader understands */
    char *blocked; /* its prefix; heap, NULL: there is none, or no memory for it */
} collector;

/* A key as seen from the group that gets the copy. */
static const char *below_base(const collector *c, const char *key)
{
    const size_t length = strlen(c->base);
    return length ? key + length + 1 : key;
}

/* Takes the document into the collection, if it is there. */
static bool collect_document(collector *c, const char *prefix, const char *document, const vz_json **value,
                             vz_error *err)
{
    vz_buffer text = {0};
    bool found = false;
    *value = NULL;
    bool ok = vz_document_get(c->store, prefix, document, &text, &found, err);
    if (ok && found) {
        vz_json *parsed = vz_json_parse_within((const char *)text.data, text.size, VZ_DOCUMENT_MAX_VALUES, NULL);
        char *key = parsed ? vz_key_join(prefix, document, err) : NULL;
        c->possible = c->possible && parsed;
        *value = parsed;
        if (parsed && !key)
            vz_json_free(parsed);
        ok = !parsed || (key && vz_json_set(c->metadata, below_base(c, key), parsed, err));
        free(key);
    }
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
        char *below = vz_key_join(prefix, entries[i].name, err);
        ok = below && collect(c, below, depth + 1, err);
        free(below);
    }
    vz_entries_free(entries, count);
    return ok;
}

/* {"kind": "inline", "must_understand": false, "metadata": take} */
static vz_json *inline_copy(vz_json *take, vz_error *err)
{
    vz_json *copy = vz_json_object(err);
    if (!copy) {
        vz_json_free(take);
        return NULL;
    }
    if (vz_json_set(copy, METADATA_KEY, take, err) && vz_json_set(copy, "kind", vz_json_text("inline", err), err) &&
        vz_json_set(copy, "must_understand", vz_json_bool(false, err), err))
        return copy;
    vz_json_free(copy);
    return NULL;
}

/* Each group in the copy carries an empty one, or zarr-python would look for its members in the store. */
static bool set_empty_copy(vz_json *document, vz_error *err)
{
    vz_json *nothing = vz_json_object(err), *copy = nothing ? inline_copy(nothing, err) : NULL;
    return copy && vz_json_set(document, VZ_CONSOLIDATED, copy, err);
}

/* Where the copy goes is not in it. */
static bool collect_node(collector *c, const char *prefix, vz_json *document, vz_error *err)
{
    const bool is_group = c->spelling->says(document) == VZ_SAYS_GROUP, is_base = strcmp(prefix, c->base) == 0;
    if (!is_base && (!is_group || set_empty_copy(document, err)))
        return vz_json_set(c->metadata, below_base(c, prefix), document, err);
    vz_json_free(document);
    return is_base;
}

static bool collect_nodes(collector *c, const char *prefix, unsigned depth, vz_error *err)
{
    vz_buffer text = {0};
    bool found = false;
    bool ok = vz_document_get(c->store, prefix, c->spelling->array, &text, &found, err);
    vz_json *document =
        ok && found ? vz_document_parse(c->spelling->array, (const char *)text.data, text.size, NULL) : NULL;
    vz_buffer_clear(&text);
    c->possible =
        c->possible && document && (c->spelling->readable(document) || vz_consolidated_had(c->hierarchy, document));
    const bool is_group = c->spelling->says(document) == VZ_SAYS_GROUP;
    c->possible = c->possible && (is_group || depth > 0);
    if (!c->possible) {
        vz_json_free(document);
        return ok;
    }
    return collect_node(c, prefix, document, err) && (!is_group || collect_below(c, prefix, depth, err));
}

static bool collect_documents(collector *c, const char *prefix, unsigned depth, vz_error *err)
{
    const vz_json *array, *group = NULL, *attributes;
    if (!collect_document(c, prefix, c->spelling->array, &array, err) ||
        (!array && !collect_document(c, prefix, c->spelling->group, &group, err)) ||
        !collect_document(c, prefix, c->spelling->attributes, &attributes, err))
        return false;
    c->possible = c->possible && (group || (array && depth > 0 && c->spelling->readable(array)));
    return !group || !c->possible || collect_below(c, prefix, depth, err);
}

/* A directory without documents (or one of another format) among them: readers that find none of it in the copy would
 * take it for missing. */
static bool collect(collector *c, const char *prefix, unsigned depth, vz_error *err)
{
    bool ok = true;
    if (depth > DEPTH_MAX)
        c->possible = false;
    else
        ok =
            c->spelling->consolidated ? collect_documents(c, prefix, depth, err) : collect_nodes(c, prefix, depth, err);
    if (ok && !c->possible && !c->blocked)
        c->blocked = strdup(prefix);
    return ok;
}

static bool delete_copy(const collector *c, const char *name, vz_error *err)
{
    char *key = vz_key_join(c->base, name, err);
    vz_request gone = {.op = VZ_REQUEST_DELETE, .key = key};
    const bool ok = key && vz_request_do(c->store, &gone, NULL, err);
    free(key);
    return ok;
}

static bool write_apart(const collector *c, vz_json *metadata, vz_error *err)
{
    uint64_t hash;
    const vz_version none = {0};
    const char *name = c->spelling->consolidated;
    vz_error failed = VZ_ERROR_NONE;
    vz_json *all = vz_json_object(err);
    if (!all)
        vz_json_free(metadata);
    const vz_when when = vz_hierarchy_is_far(c->hierarchy) ? VZ_WHEN_ABSENT : VZ_WHEN_ANY;
    bool ok = all && vz_json_set(all, METADATA_KEY, metadata, err) &&
              vz_json_set(all, FORMAT_KEY, vz_json_int64(1, err), err) &&
              vz_document_put_when(c->store, c->base, name, all, when, &none, &hash, &failed);
    vz_json_free(all);
    if (!ok && failed.class == VZ_CHANGED) /* another process wrote one: who knows which of us saw all documents? */
        return delete_copy(c, name, err);
    if (!ok && failed.class != VZ_OK && err)
        *err = failed;
    return ok;
}

/* The group at that prefix, if it is loaded. */
static vz_node *loaded_group(vz_hierarchy *hierarchy, const char *prefix)
{
    vz_node *node = hierarchy->root;
    char *copy = strdup(prefix), *rest = copy, *segment;
    while (node && (segment = strsep(&rest, "/"))) {
        const vz_member *member = *segment && node->members ? vz_members_by_segment(node->members, segment) : NULL;
        if (*segment)
            node = member ? member->link.node : NULL;
    }
    free(copy);
    return copy ? node : NULL;
}

/* The group's document says more than the copy, so it must not change under us. */
static bool write_inside(vz_hierarchy *hierarchy, const collector *c, vz_json *metadata, vz_error *err)
{
    uint64_t unknown = 0;
    vz_json *copy = inline_copy(metadata, err);
    vz_node *group = loaded_group(hierarchy, c->base);
    if (!copy || !vz_documents_lock(hierarchy, err)) {
        vz_json_free(copy);
        return false;
    }
    const bool ok =
        vz_document_put_copy(c->store, c->spelling, c->base, group ? &group->document_hash : &unknown, copy, err);
    vz_documents_unlock(hierarchy);
    if (group)
        vz_node_keep_version(group, false, NULL);
    return ok;
}

/* Of what keeps a copy from being made, a system that fails is reported. A node that is damaged, or not for us to read,
 * or moved too deep for any path, was so before: the store is as good without a copy, and readers meet what is wrong
 * where it is. */
static bool is_ours_to_tell(const vz_error *failed)
{
    return (failed->class == VZ_IO && failed->sys_errno != ENAMETOOLONG) || failed->class == VZ_NO_MEMORY;
}

bool vz_consolidated_put(vz_hierarchy *hierarchy, const char *base, const vz_spelling *spelling, char **blocked,
                         vz_error *err)
{
    collector c = {.hierarchy = hierarchy,
                   .store = hierarchy->store,
                   .base = base,
                   .spelling = spelling,
                   .metadata = vz_json_object(err),
                   .possible = true};
    if (!c.metadata)
        return false;
    vz_error failed = VZ_ERROR_NONE;
    bool tells = true;
    const bool is_far = vz_hierarchy_is_far(hierarchy); /* then all of it is read at once */
    bool ok =
        (!is_far || (vz_store_keep_ahead(c.store, &failed) && vz_own_documents_show(hierarchy, spelling, &failed) &&
                     vz_tree_read_ahead(c.store, spelling, base, &failed))) &&
        collect(&c, base, 0, &failed);
    if (is_far)
        vz_store_forget_ahead(c.store, NULL);
    if (ok && c.possible) {
        ok = spelling->consolidated ? write_apart(&c, c.metadata, &failed)
                                    : write_inside(hierarchy, &c, c.metadata, &failed);
        tells = failed.class != VZ_LIMIT; /* larger than anybody would read */
    } else {
        vz_json_free(c.metadata);
        tells = blocked || is_ours_to_tell(&failed);
    }
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
