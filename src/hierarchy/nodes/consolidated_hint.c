/* consolidated_hint.c - the nodes that the copy of all documents told of when a store that is far away was opened for
 * writing. The copy may be stale, and nothing is taken from it: but what is most likely there is asked for at once when
 * the copy is made anew, instead of level by level. */
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/cache_internal.h"
#include "store/store/prefetch.h"
#include <stdlib.h>

#define NODES_MAX  100000
#define PREFIX_MAX 900 /* a key has at most 1,024 bytes */

struct vz_told {
    const vz_spelling *spelling;
    vz_strmap *nodes;       /* prefix -> group or array */
    uint64_t names_changed; /* of the hierarchy, when it was told */
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

static bool add(vz_told *told, const char *text, size_t size, bool is_group)
{
    if (!is_prefix(text, size) || vz_strmap_count(told->nodes) >= NODES_MAX)
        return true;
    char *prefix = strndup(text, size);
    const bool ok = prefix && vz_strmap_put(told->nodes, prefix, is_group ? &group : &array, NULL);
    free(prefix);
    return ok;
}

/* ---- a document of its own ---- */

static bool take_key(void *context, const char *key, vz_bytes value, vz_error *err)
{
    vz_told *told = context;
    const char *slash = strrchr(key, '/');
    (void)value;
    if (!slash || (strcmp(slash + 1, told->spelling->group) != 0 && strcmp(slash + 1, told->spelling->array) != 0))
        return true;
    return add(told, key, (size_t)(slash - key), strcmp(slash + 1, told->spelling->group) == 0) || vz_fail_memory(err);
}

static bool take_metadata(void *told, const char *key, vz_bytes value, vz_error *err)
{
    return strcmp(key, "metadata") != 0 || vz_json_each_member(value, take_key, told, err);
}

static void read_apart(vz_told *told, vz_store *store)
{
    bool found = false;
    vz_bytes text;
    if (!vz_store_has_prefetched(store, told->spelling->consolidated, &found, &text) || !found)
        return;
    told->apart = true;
    vz_json_each_member(text, take_metadata, told, NULL);
}

/* ---- a member of the root's document ---- */

void vz_told_copy(vz_hierarchy *hierarchy, const vz_json *copy)
{
    vz_told *told = hierarchy->documents.hint;
    const vz_json *metadata = vz_json_get(copy, "metadata");
    const char *path;
    vz_json *node;
    if (!told || !told->spelling->says)
        return;
    told->names_changed = hierarchy->hard_links.names_changed;
    for (size_t i = 0; vz_json_member(metadata, i, &path, &node); i++)
        if (!add(told, path, strlen(path), told->spelling->says(node) == VZ_SAYS_GROUP))
            return;
}

/* ---- for everybody ---- */

void vz_told_free(vz_told *told)
{
    if (!told)
        return;
    if (told->nodes)
        vz_strmap_free(told->nodes, NULL);
    free(told);
}

void vz_told_read(vz_hierarchy *hierarchy)
{
    vz_told *told = calloc(1, sizeof *told);
    if (!told || !(told->nodes = vz_strmap_new())) {
        free(told);
        return;
    }
    told->spelling = hierarchy->spelling;
    told->names_changed = hierarchy->hard_links.names_changed;
    if (told->spelling->consolidated)
        read_apart(told, hierarchy->store);
    hierarchy->documents.hint = told;
}

bool vz_told_take_copy(vz_hierarchy *hierarchy)
{
    const bool apart = hierarchy->documents.hint && hierarchy->documents.hint->apart;
    if (apart)
        hierarchy->documents.hint->apart = false;
    return apart;
}

bool vz_told_has_copy(const vz_hierarchy *hierarchy)
{
    return hierarchy->documents.hint && hierarchy->documents.hint->apart;
}

static bool is_valid(const vz_hierarchy *hierarchy)
{
    return hierarchy->documents.hint && hierarchy->documents.hint->names_changed == hierarchy->hard_links.names_changed;
}

bool vz_told_next(const vz_hierarchy *hierarchy, size_t *cursor, const char **prefix, bool *is_group)
{
    void *kind;
    if (!is_valid(hierarchy) || !vz_strmap_next(hierarchy->documents.hint->nodes, cursor, prefix, &kind))
        return false;
    *is_group = kind == &group;
    return true;
}

bool vz_told_has(const vz_hierarchy *hierarchy, const char *prefix)
{
    return is_valid(hierarchy) && vz_strmap_get(hierarchy->documents.hint->nodes, prefix);
}
