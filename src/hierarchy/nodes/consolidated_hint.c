/* consolidated_hint.c - prefixes that the consolidated metadata listed when a remote store was
 * opened for writing. The list may be stale and answers nothing. When consolidated metadata is
 * written anew, these prefixes are requested at once instead of level by level. */
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/cache_internal.h"
#include "store/store/prefetch.h"
#include <stdlib.h>

#define NODES_MAX  100000
#define PREFIX_MAX 900 /* a key has at most 1,024 bytes */

struct vz_hint {
    const vz_spelling *spelling;
    vz_strmap *nodes;       /* prefix -> group or array */
    uint64_t names_changed; /* of the hierarchy, when the hint was made */
    bool apart;             /* the copy has a document of its own, which nobody looked for since */
};

static char group, array;

/* What a store tells is anybody's: such a key would be refused. */
static bool is_prefix(const char *text, size_t size)
{
    for (size_t at = 0, length; at <= size; at += length + 1) {
        length = 0;
        while (at + length < size && text[at + length] != '/')
            length++;
        if (length == 0 || (length <= 2 && strncmp(text + at, "..", length) == 0))
            return false;
    }
    return size <= PREFIX_MAX && vz_utf8_valid(text, size);
}

static bool add(vz_hint *hint, const char *text, size_t size, bool is_group)
{
    if (!is_prefix(text, size) || vz_strmap_count(hint->nodes) >= NODES_MAX)
        return true;
    char *prefix = strndup(text, size);
    const bool ok = prefix && vz_strmap_put(hint->nodes, prefix, is_group ? &group : &array, NULL);
    free(prefix);
    return ok;
}

/* ---- a document of its own ---- */

static bool take_key(void *context, const char *key, vz_bytes value, vz_error *err)
{
    vz_hint *hint = context;
    const char *slash = strrchr(key, '/');
    (void)value;
    if (!slash || (strcmp(slash + 1, hint->spelling->group) != 0 && strcmp(slash + 1, hint->spelling->array) != 0))
        return true;
    return add(hint, key, (size_t)(slash - key), strcmp(slash + 1, hint->spelling->group) == 0) || vz_fail_memory(err);
}

static bool take_metadata(void *hint, const char *key, vz_bytes value, vz_error *err)
{
    return strcmp(key, "metadata") != 0 || vz_json_each_member(value, take_key, hint, err);
}

static void read_apart(vz_hint *hint, vz_store *store)
{
    bool found = false;
    vz_bytes text;
    if (!vz_store_has_prefetched(store, hint->spelling->consolidated, &found, &text) || !found)
        return;
    hint->apart = true;
    vz_json_each_member(text, take_metadata, hint, NULL);
}

/* ---- a member of the root's document ---- */

void vz_hint_add_consolidated(vz_hierarchy *hierarchy, const vz_json *copy)
{
    vz_hint *hint = hierarchy->documents.hint;
    const vz_json *metadata = vz_json_get(copy, "metadata");
    const char *path;
    vz_json *node;
    if (!hint || !hint->spelling->says)
        return;
    hint->names_changed = hierarchy->hard_links.names_changed;
    for (size_t i = 0; vz_json_member(metadata, i, &path, &node); i++)
        if (!add(hint, path, strlen(path), hint->spelling->says(node) == VZ_SAYS_GROUP))
            return;
}

/* ---- for everybody ---- */

void vz_hint_free(vz_hint *hint)
{
    if (!hint)
        return;
    if (hint->nodes)
        vz_strmap_free(hint->nodes, NULL);
    free(hint);
}

void vz_hint_read(vz_hierarchy *hierarchy)
{
    vz_hint *hint = calloc(1, sizeof *hint);
    if (!hint || !(hint->nodes = vz_strmap_new())) {
        free(hint);
        return;
    }
    hint->spelling = hierarchy->spelling;
    hint->names_changed = hierarchy->hard_links.names_changed;
    if (hint->spelling->consolidated)
        read_apart(hint, hierarchy->store);
    hierarchy->documents.hint = hint;
}

bool vz_hint_take_consolidated(vz_hierarchy *hierarchy)
{
    const bool apart = hierarchy->documents.hint && hierarchy->documents.hint->apart;
    if (apart)
        hierarchy->documents.hint->apart = false;
    return apart;
}

bool vz_hint_has_consolidated(const vz_hierarchy *hierarchy)
{
    return hierarchy->documents.hint && hierarchy->documents.hint->apart;
}

static bool is_valid(const vz_hierarchy *hierarchy)
{
    return hierarchy->documents.hint && hierarchy->documents.hint->names_changed == hierarchy->hard_links.names_changed;
}

bool vz_hint_next(const vz_hierarchy *hierarchy, size_t *cursor, const char **prefix, bool *is_group)
{
    void *kind;
    if (!is_valid(hierarchy) || !vz_strmap_next(hierarchy->documents.hint->nodes, cursor, prefix, &kind))
        return false;
    *is_group = kind == &group;
    return true;
}

bool vz_hint_has(const vz_hierarchy *hierarchy, const char *prefix)
{
    return is_valid(hierarchy) && vz_strmap_get(hierarchy->documents.hint->nodes, prefix);
}
