/* dialect_links_read.c - zarr_link as others wrote it: what the source of an entry means.
 *
 * Versions of hdmf-zarr wrote "." for this store, or its name, or its path when it was written; for another store a
 * path from within this one, or from beside it, or an absolute one. A store that was moved is told by what is there
 * now. */
#include "map/dialect_links.h"
#include <stdio.h>
#include <stdlib.h>

/* Looking for a target in this store may load groups, whose links are read in turn. */
enum { MAX_NESTED = 8 };
static unsigned nested;

typedef struct entry {
    const char *name, *source;
    char *path; /* absolute; heap */
} entry;

static bool add_soft(vz_node *group, const entry *e, vz_error *err)
{
    return vz_group_add_foreign(group, e->name, VZ_LINK_SOFT, 0,
                                (vz_bytes){.data = (const uint8_t *)e->path, .size = strlen(e->path)}, err);
}

/* `file`: as HDF5 looks for it, absolute or beside this store. */
static bool add_external(vz_node *group, const entry *e, const char *file, vz_error *err)
{
    vz_buffer value = {0};
    const bool ok = vz_buffer_append(&value, "", 1, err) && vz_buffer_append(&value, file, strlen(file) + 1, err) &&
                    vz_buffer_append(&value, e->path, strlen(e->path) + 1, err) &&
                    vz_group_add_foreign(group, e->name, VZ_LINK_USER, VZ_LINK_CLASS_EXTERNAL,
                                         (vz_bytes){.data = value.data, .size = value.size}, err);
    vz_buffer_clear(&value);
    return ok;
}

static bool is_store(const char *path)
{
    int no_errno;
    return vz_path_look(path, &no_errno) == VZ_PATH_ZARR;
}

static bool is_here(vz_node *group, const char *path)
{
    vz_error ignored = VZ_ERROR_NONE;
    if (nested >= MAX_NESTED)
        return false;
    nested++;
    char *found = vz_plain_target(group, path, &ignored);
    nested--;
    free(found);
    return found != NULL;
}

/* What lies at `place` is meant: this store, or another one, which HDF5 calls `file`. *added=false: nothing is there.
 */
static bool add_found(vz_node *group, const entry *e, const char *place, const char *file, bool *added, vz_error *err)
{
    *added = true;
    if (vz_hierarchy_is_at(group->hierarchy, place))
        return add_soft(group, e, err);
    if (is_store(place))
        return add_external(group, e, file, err);
    *added = false;
    return true;
}

/* The length of the path of the directory that the store is in, with its slash. */
static int beside(const char *store)
{
    size_t length = strlen(store);
    while (length > 1 && store[length - 1] == '/')
        length--;
    while (length > 0 && store[length - 1] != '/')
        length--;
    return (int)length;
}

/* Seen from within the store, then from beside it. */
static bool add_relative(vz_node *group, const entry *e, bool *added, vz_error *err)
{
    const char *store = vz_hierarchy_path(group->hierarchy), *source = e->source;
    const int directory = beside(store);
    char *within = NULL, *outside = NULL, *name = NULL;
    if (asprintf(&within, "%s/%s", store, source) < 0)
        within = NULL;
    if (asprintf(&outside, "%.*s%s", directory, store, source) < 0)
        outside = NULL;
    if (strncmp(source, "../", 3) == 0)
        name = strdup(source + 3);
    else if (asprintf(&name, "%s/%s", store + directory, source) < 0)
        name = NULL;
    bool ok = (within && outside && name) || vz_fail_memory(err);
    ok = ok && add_found(group, e, within, name, added, err) &&
         (*added || add_found(group, e, outside, source, added, err));
    if (ok && !*added && !is_here(group, e->path)) {
        *added = true;
        ok = add_external(group, e, name, err);
    }
    free(within);
    free(outside);
    free(name);
    return ok;
}

static bool add(vz_node *group, const entry *e, vz_error *err)
{
    bool added = false, ok;
    if (!*e->source || strcmp(e->source, ".") == 0)
        return add_soft(group, e, err);
    if (*e->source != '/')
        ok = add_relative(group, e, &added, err);
    else
        ok = add_found(group, e, e->source, e->source, &added, err);
    if (!ok || added)
        return ok;
    return *e->source != '/' || is_here(group, e->path) ? add_soft(group, e, err)
                                                        : add_external(group, e, e->source, err);
}

/* NULL where it is none; `otherwise` where there is no such key, or null. */
static const char *text_of(const vz_json *json, const char *key, const char *otherwise)
{
    size_t length = 0;
    const vz_json *value = vz_json_get(json, key);
    if (!value || vz_json_kind_of(value) == VZ_JSON_NULL)
        return otherwise;
    const char *text = vz_json_get_string(value, &length);
    return text && strlen(text) == length ? text : NULL;
}

static bool read_entry(vz_node *group, const vz_json *json, vz_error *err)
{
    const char *path = text_of(json, "path", "/");
    entry e = {.name = text_of(json, "name", NULL), .source = text_of(json, "source", ".")};
    if (!e.name || !e.source || !path)
        return true;
    if (asprintf(&e.path, "%s%s", *path == '/' ? "" : "/", path) < 0)
        return vz_fail_memory(err);
    const bool ok = add(group, &e, err);
    free(e.path);
    return ok;
}

bool vz_plain_read_links(vz_node *group, vz_error *err)
{
    const vz_json *list = vz_node_attribute(group, vz_plain_links_attribute(group));
    for (size_t i = 0; i < vz_json_length(list); i++)
        if (!read_entry(group, vz_json_at(list, i), err))
            return false;
    return true;
}
