/* array_prefetch.c - documents of objects that will be opened by their names. Each would be a round
 * trip by itself. */
#include "hierarchy/consolidated/array_prefetch_internal.h"
#include "hierarchy/documents/documents.h"
#include "hierarchy/nodes/member.h"
#include "hierarchy/nodes/node_state.h"
#include "store/store/prefetch.h"
#include <stdlib.h>

/* ---- names ---- */

static const vz_member *member_of(const vz_node *group, const char *name, size_t length)
{
    char *own = group->members ? strndup(name, length) : NULL;
    const vz_member *member = own ? vz_strmap_get(group->members->by_name, own) : NULL;
    free(own);
    return member;
}

static size_t length_of_first(const char *path)
{
    return strcspn(path, "/");
}

static bool is_dot(const char *path)
{
    return path[0] == '.' && (path[1] == '/' || !path[1]);
}

static const char *skip(const char *path)
{
    path += strspn(path, "/");
    while (is_dot(path) && path[1])
        path += 1 + strspn(path + 1, "/");
    return path;
}

static const char *next_of(const char *path)
{
    return skip(path + length_of_first(path));
}

/* Links of other kinds lead elsewhere. */
static vz_tree_name name_beyond(vz_node *group, const char *path)
{
    const vz_tree_name nowhere = {NULL, path};
    for (;;) {
        const vz_member *member = member_of(group, path, length_of_first(path));
        if (!member)
            return (vz_tree_name){group, path};
        if (member->link.kind != VZ_LINK_NODE)
            return nowhere;
        if (!*next_of(path) || !member->link.node)
            return (vz_tree_name){group, path};
        group = member->link.node;
        path = next_of(path);
        if (group->kind != VZ_NODE_GROUP)
            return nowhere;
    }
}

vz_tree_name vz_tree_name_of(vz_node *start, const char *path)
{
    path = skip(path);
    if (!*path || is_dot(path) || start->kind != VZ_NODE_GROUP)
        return (vz_tree_name){NULL, path};
    return name_beyond(start, path);
}

/* Was it looked for before, in vain? */
static bool is_hidden(const vz_node *group, const char *name)
{
    return group->members->hidden && vz_strmap_get(group->members->hidden, name);
}

/* A group that cannot be listed may have it. */
static bool is_unknown(const vz_tree_name *at)
{
    const vz_member *member = member_of(at->group, at->name, length_of_first(at->name));
    return member ? member->state == VZ_MEMBER_UNKNOWN || *next_of(at->name)
                  : at->group->members->unlisted && !is_hidden(at->group, at->name);
}

bool vz_tree_name_is_far(const vz_tree_name *at)
{
    const vz_node *group = at->group;
    return !(group->hierarchy->store->capabilities & (VZ_STORE_CHEAP | VZ_STORE_AT_HAND)) && !group->is_new &&
           (!group->members || is_unknown(at));
}

/* ---- what is wanted ---- */

static bool add_place(vz_tree_wanted *wanted, char *prefix, vz_tree_kind kind, bool is_listed)
{
    if (prefix)
        wanted->places[wanted->count++] = (vz_tree_place){prefix, kind, is_listed};
    return prefix != NULL;
}

/* `segment`: of the first name, if it is known. */
static bool add_way(vz_tree_wanted *wanted, const char *above, const char *path, const char *segment, vz_tree_kind kind)
{
    for (; *path; path = next_of(path), segment = NULL) {
        char *name = strndup(path, length_of_first(path));
        char *own = name && !segment ? vz_segment_of_name(name, NULL) : NULL;
        const bool is_last = !*next_of(path);
        char *prefix = own || segment ? vz_document_key_join(above, own ? own : segment, NULL) : NULL;
        free(name);
        free(own);
        if (!add_place(wanted, prefix, is_last ? kind : VZ_TREE_GROUP, !is_last))
            return false;
        above = prefix;
    }
    return true;
}

static bool make_room(vz_tree_wanted *wanted, const char *path)
{
    size_t count = 2;
    for (const char *at = path; *at; at = next_of(at))
        count++;
    wanted->places = calloc(count, sizeof *wanted->places);
    return wanted->places != NULL;
}

bool vz_tree_want(vz_tree_wanted *wanted, const vz_tree_name *at, vz_tree_kind kind)
{
    vz_node *group = at->group;
    const vz_member *member = member_of(group, at->name, length_of_first(at->name));
    char *above = vz_node_prefix(group, NULL);
    *wanted = (vz_tree_wanted){.store = group->hierarchy->store, .zarr_format = group->zarr_format};
    bool ok = above && make_room(wanted, at->name) &&
              add_way(wanted, above, at->name, member ? member->link.segment : NULL, kind);
    if (ok && !group->members) {
        const vz_tree_place object = wanted->places[wanted->count - 1];
        wanted->places[wanted->count - 1] = (vz_tree_place){above, VZ_TREE_LISTED, true};
        wanted->places[wanted->count++] = object;
        above = NULL;
    }
    free(above);
    return ok;
}

bool vz_tree_want_below(vz_tree_wanted *wanted, const vz_tree_wanted *group, const char *path, vz_tree_kind kind)
{
    const char *above = group->places[group->count - 1].prefix;
    char *own = strdup(above);
    path = skip(path);
    *wanted = (vz_tree_wanted){.store = group->store, .zarr_format = group->zarr_format};
    if (!own || !make_room(wanted, path)) {
        free(own);
        return false;
    }
    return add_place(wanted, own, VZ_TREE_LISTED, true) && add_way(wanted, own, path, NULL, kind);
}

bool vz_tree_want_same(vz_tree_wanted *wanted, const vz_tree_wanted *other)
{
    const vz_tree_place *object = &other->places[other->count - 1];
    char *own = strdup(object->prefix);
    *wanted = (vz_tree_wanted){.store = other->store, .zarr_format = other->zarr_format};
    if (own && make_room(wanted, ""))
        return add_place(wanted, own, object->kind, false);
    free(own);
    return false;
}

/* ---- documents ---- */

static char *key_of(const vz_tree_place *place, const char *document)
{
    return document ? vz_document_key_join(place->prefix, document, NULL) : NULL;
}

static void forget(vz_store *store, const vz_tree_place *place, const char *document)
{
    char *key = key_of(place, document);
    if (key)
        vz_store_forget_prefetched(store, key);
    free(key);
}

void vz_tree_wanted_clear(vz_tree_wanted *wanted)
{
    for (size_t i = 0; i < wanted->count; i++) {
        const vz_tree_place *place = &wanted->places[i];
        for (size_t k = 0; k < VZ_ZARR_FORMATS; k++) {
            forget(wanted->store, place, vz_zarr_formats[k]->array);
            forget(wanted->store, place, vz_zarr_formats[k]->group);
            forget(wanted->store, place, vz_zarr_formats[k]->attributes);
        }
        vz_store_forget_list(wanted->store, place->prefix);
        free(place->prefix);
    }
    free(wanted->places);
    *wanted = (vz_tree_wanted){0};
}

void vz_tree_keys_clear(vz_tree_keys *keys)
{
    for (size_t i = 0; i < keys->count; i++)
        free(keys->at[i]);
    free(keys->at);
    *keys = (vz_tree_keys){0};
}

bool vz_tree_keys_add(vz_tree_keys *keys, char *key)
{
    const size_t room = keys->count < keys->room ? keys->room : 2 * keys->room + 16;
    char **at = !key || room == keys->room ? keys->at : realloc(keys->at, room * sizeof *at);
    if (!key || !at) {
        free(key);
        return false;
    }
    keys->at = at;
    keys->room = room;
    keys->at[keys->count++] = key;
    return true;
}

bool vz_tree_keys_move(vz_tree_keys *to, vz_tree_keys *from, size_t first)
{
    bool ok = true;
    for (size_t i = first; i < from->count; i++)
        ok = vz_tree_keys_add(to, from->at[i]) && ok;
    if (first < from->count)
        from->count = first;
    return ok;
}

bool vz_tree_wanted_keys(const vz_tree_wanted *wanted, vz_tree_keys *documents, vz_tree_keys *attributes,
                         vz_tree_keys *lists)
{
    const vz_zarr_format *zarr_format = wanted->zarr_format;
    bool ok = true;
    for (size_t i = 0; ok && i < wanted->count; i++) {
        const vz_tree_place *place = &wanted->places[i];
        const bool is_array = place->kind == VZ_TREE_ARRAY || place->kind == VZ_TREE_ANY;
        const bool is_group = place->kind == VZ_TREE_GROUP || place->kind == VZ_TREE_ANY;
        if (is_array || (is_group && zarr_format->says))
            ok = vz_tree_keys_add(documents, key_of(place, zarr_format->array));
        if (ok && is_group && !zarr_format->says)
            ok = vz_tree_keys_add(documents, key_of(place, zarr_format->group));
        if (ok && zarr_format->attributes && (is_array || is_group))
            ok = vz_tree_keys_add(attributes, key_of(place, zarr_format->attributes));
        if (ok && place->is_listed && (wanted->store->capabilities & VZ_STORE_LIST))
            ok = vz_tree_keys_add(lists, strdup(place->prefix));
    }
    return ok;
}

static bool is_there(vz_store *store, const char *key)
{
    bool found = false;
    vz_bytes text;
    return key && vz_store_has_prefetched(store, key, &found, &text) && found;
}

void vz_tree_wanted_conclude(const vz_tree_wanted *wanted)
{
    const vz_zarr_format *zarr_format = wanted->zarr_format;
    for (size_t i = 0; i < wanted->count && !zarr_format->says; i++) {
        char *array = key_of(&wanted->places[i], zarr_format->array);
        char *group = key_of(&wanted->places[i], zarr_format->group);
        if (array && group && is_there(wanted->store, array))
            vz_store_know_missing(wanted->store, group);
        else if (array && group && is_there(wanted->store, group))
            vz_store_know_missing(wanted->store, array);
        free(array);
        free(group);
    }
}

static bool add_others(const vz_tree_wanted *wanted, const vz_tree_place *place, vz_tree_keys *documents)
{
    bool ok = true;
    for (size_t i = 0; ok && i < VZ_ZARR_FORMATS; i++) {
        const vz_zarr_format *zarr_format = vz_zarr_formats[i];
        if (zarr_format == wanted->zarr_format)
            continue;
        ok = vz_tree_keys_add(documents, key_of(place, zarr_format->array)) &&
             (zarr_format->says || vz_tree_keys_add(documents, key_of(place, zarr_format->group)));
    }
    return ok;
}

bool vz_tree_wanted_others(const vz_tree_wanted *wanted, vz_tree_keys *documents)
{
    const vz_tree_place *place = &wanted->places[wanted->count - 1];
    if (place->kind != VZ_TREE_ANY)
        return true;
    char *array = key_of(place, wanted->zarr_format->array), *group = key_of(place, wanted->zarr_format->group);
    const bool known = !array || !group || is_there(wanted->store, array) || is_there(wanted->store, group);
    free(array);
    free(group);
    return known || add_others(wanted, place, documents);
}
