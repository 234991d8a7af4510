/* scale_users.c - REFERENCE_LIST of scales that arrays of groups below use, too. Those groups are
 * looked through when a program asks for that attribute by its name. */
#include "hdf5/netcdf/netcdf.h"
#include "hdf5/netcdf/netcdf_internal.h"
#include "hdf5/dialects/dialects.h"
#include <stdlib.h>
#include <string.h>

#define USERS "REFERENCE_LIST"

typedef struct users {
    const char *above; /* path of the group of the scales, with a slash at its end */
    vz_json *found;    /* {name of a scale: its users below the group} */
} users;

/* The name of a scale of the group; NULL: the path is another one's. */
static const char *name_of_scale(const users *u, const char *path)
{
    const size_t length = strlen(u->above);
    return path && strncmp(path, u->above, length) == 0 && !strchr(path + length, '/') ? path + length : NULL;
}

static bool add_use(users *u, const char *scale, const char *path, unsigned axis, vz_error *err)
{
    vz_json *list = vz_json_get(u->found, scale);
    if (!list && !vz_json_set(u->found, scale, vz_json_array(err), err))
        return false;
    return vz_netcdf_append_use(list ? list : vz_json_get(u->found, scale), path, axis, err);
}

static bool add_array(users *u, vz_node *array, vz_error *err)
{
    char *path = vz_node_path(array, err);
    bool ok = path != NULL;
    for (unsigned axis = 0; ok && axis < array->meta->rank; axis++) {
        const vz_json *reference = vz_dimensions_first_scale(array, axis);
        const char *scale = name_of_scale(u, vz_json_get_string(vz_json_get(reference, "path"), NULL));
        ok = !scale || add_use(u, scale, path, axis, err);
    }
    free(path);
    return ok;
}

static bool add_below(users *u, vz_node *group, bool is_first, vz_error *err);

/* An array that cannot be read uses nothing. */
static bool add_member(users *u, vz_node *group, vz_link *link, bool is_first, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_node *node = link->kind == VZ_LINK_NODE ? vz_link_node(group, link, &failed) : NULL;
    if (!node)
        return vz_netcdf_is_answer(&failed, err);
    if (node->kind == VZ_NODE_GROUP)
        return add_below(u, node, false, err);
    return is_first || !vz_node_understood(node) || !vz_netcdf_is_shown(node) || add_array(u, node, err);
}

static bool add_below(users *u, vz_node *group, bool is_first, vz_error *err)
{
    uint64_t count = 0;
    vz_error failed = VZ_ERROR_NONE;
    vz_link **links = vz_group_links(group, VZ_BY_NAME, &count, &failed);
    bool ok = links || vz_netcdf_is_answer(&failed, err);
    for (uint64_t i = 0; links && ok && i < count; i++)
        ok = add_member(u, group, links[i], is_first, err);
    return ok;
}

/* The users in its own group, as they were derived. */
static vz_json *own_users(const users *u, const vz_node *scale, vz_error *err)
{
    vz_json *own = vz_json_array(err);
    const vz_json *now = vz_json_at(vz_json_get(scale->derived, USERS), 0);
    for (size_t i = 0; own && i < vz_json_length(now); i++) {
        const vz_json *use = vz_json_at(now, i);
        if (!name_of_scale(u, vz_json_get_string(vz_json_get(vz_json_get(use, "dataset"), "path"), NULL)))
            continue;
        if (!vz_json_append(own, vz_json_copy(use, err), err)) {
            vz_json_free(own);
            return NULL;
        }
    }
    return own;
}

static bool show_users(const users *u, vz_node *scale, const vz_json *below, vz_error *err)
{
    vz_json *list = own_users(u, scale, err), *derived = list ? vz_json_copy(scale->derived, err) : NULL;
    bool ok = derived != NULL;
    for (size_t i = 0; ok && i < vz_json_length(below); i++)
        ok = vz_json_append(list, vz_json_copy(vz_json_at(below, i), err), err);
    if (ok && vz_netcdf_add_users(derived, list, err))
        return vz_node_set_derived(scale, derived, err);
    if (!ok)
        vz_json_free(list);
    vz_json_free(derived);
    return false;
}

static bool show_all(const users *u, vz_node *group, vz_error *err)
{
    const char *name;
    vz_json *below;
    bool ok = true;
    for (size_t i = 0; ok && vz_json_member(u->found, i, &name, &below); i++) {
        vz_error absent = VZ_ERROR_NONE;
        const vz_link *link = vz_group_find(group, name, &absent);
        vz_node *scale = link ? link->node : NULL;
        ok = !scale || !scale->derived || !vz_node_shows_derived(scale, "CLASS") || show_users(u, scale, below, err);
    }
    return ok;
}

/* "/a/" for "/a"; heap. */
static char *path_with_slash(const vz_node *group, vz_error *err)
{
    char *path = vz_node_path(group, err);
    const size_t length = path ? strlen(path) : 0;
    char *longer = path ? realloc(path, length + 2) : NULL;
    if (path && !longer) {
        free(path);
        vz_fail_memory(err);
    }
    if (longer && longer[length - 1] != '/')
        memcpy(longer + length, "/", 2);
    return longer;
}

bool vz_netcdf_find_users(vz_node *scale, vz_error *err)
{
    vz_node *group = scale->parent;
    if (!group || group->scales_looked == vz_links_moment() || !vz_node_shows_derived(scale, "CLASS"))
        return true;
    char *above = path_with_slash(group, err);
    users u = {above, above ? vz_json_object(err) : NULL};
    const bool ok = u.found && add_below(&u, group, true, err) && show_all(&u, group, err);
    if (ok)
        group->scales_looked = vz_links_moment();
    vz_json_free(u.found);
    free(above);
    return ok;
}
