/* link_location.c - where a link is, and where a new one goes. */
#include "hierarchy/edit/edit.h"
#include "hdf5/handles/file_internal.h"
#include "hdf5/handles/handle_internal.h"
#include "hdf5/handles/locate_internal.h"
#include "hdf5/handles/handle.h"
#include <stdio.h>
#include <stdlib.h>

void vz_place_clear(vz_place *place)
{
    if (place->group)
        vz_node_unref(place->group);
    free(place->name);
    vz_opened_clear(&place->opened);
    vz_locate_exit_clear(&place->out);
    *place = (vz_place){0};
}

/* After a failure: all but where the path leads instead. */
static void give_up(vz_place *place)
{
    const vz_locate_exit out = place->out;
    place->out = (vz_locate_exit){0};
    vz_place_clear(place);
    place->out = out;
}

/* Length of the path without its last part, and that part: NULL for trivial paths. Trailing
 * slashes and "." do not count. */
static const char *last_part(const char *path, size_t *parent_length, size_t *part_length)
{
    size_t end = strlen(path);
    for (;;) {
        while (end && path[end - 1] == '/')
            end--;
        size_t begin = end;
        while (begin && path[begin - 1] != '/')
            begin--;
        if (begin == end)
            return NULL;
        if (end - begin > 1 || path[begin] != '.') {
            *parent_length = begin;
            *part_length = end - begin;
            return path + begin;
        }
        end = begin;
    }
}

/* Fills in the name; *parent becomes the path of the group (heap, "" = the handle's own node). */
static bool split(vz_place *place, const char *path, char **parent, vz_error *err)
{
    size_t parent_length = 0, part_length = 0;
    const char *part = last_part(path, &parent_length, &part_length);
    if (!part)
        return vz_fail(err, VZ_INVALID, "\"%s\" is not the name of a link", path);
    place->name = strndup(part, part_length);
    *parent = strndup(path, parent_length);
    if (place->name && *parent)
        return true;
    free(*parent);
    *parent = NULL;
    vz_place_clear(place);
    return vz_fail_memory(err);
}

/* The name is looked for in the other file, too. */
static bool leave(vz_place *place, vz_error *err)
{
    char *rest = NULL;
    if (!place->name)
        return false;
    if (asprintf(&rest, "%s%s%s", place->out.rest, *place->out.rest ? "/" : "", place->name) < 0) {
        vz_locate_exit_clear(&place->out);
        return vz_fail_memory(err);
    }
    free(place->out.rest);
    place->out.rest = rest;
    return false;
}

static bool enter(vz_place *place, const vz_handle *from, const char *parent, hid_t lapl, vz_error *err)
{
    vz_locate_result reached = {.wants_path = true};
    place->group = vz_locate_path_as(from, parent, lapl, &reached, err);
    place->opened = reached.opened;
    place->out = reached.out;
    if (place->group && vz_handle_node_id_type(place->group) == H5I_GROUP)
        return true;
    if (place->group)
        vz_fail(err, VZ_INVALID, "\"%s\" is not a group", parent);
    if (place->out.group)
        leave(place, err);
    give_up(place);
    return false;
}

/* The path of the group becomes that of the link. */
static bool enter_link(vz_place *place, vz_error *err)
{
    const bool ok = vz_opened_enter(&place->opened, place->name, err);
    if (!ok)
        vz_place_clear(place);
    return ok;
}

static bool place_of_name(vz_place *place, const vz_handle *from, const char *path, hid_t lapl, vz_error *err)
{
    char *parent = NULL;
    if (!split(place, path, &parent, err))
        return false;
    const bool ok = enter(place, from, parent, lapl, err) && enter_link(place, err);
    free(parent);
    return ok;
}

static bool place_of_index(vz_place *place, const vz_handle *from, const H5VL_loc_by_idx_t *by, vz_error *err)
{
    if (!enter(place, from, by->name, by->lapl_id, err))
        return false;
    const vz_link *link = vz_handle_link_by_index(place->group, by->idx_type, by->order, by->n, err);
    place->name = link ? strdup(link->name) : NULL;
    if (place->name)
        return enter_link(place, err);
    if (link)
        vz_fail_memory(err);
    vz_place_clear(place);
    return false;
}

bool vz_place_of_link(vz_place *place, const vz_handle *from, const vz_loc *loc, vz_error *err)
{
    *place = (vz_place){0};
    if (!vz_handle_check_loc(loc, err))
        return false;
    if (loc->type == H5VL_OBJECT_BY_NAME)
        return place_of_name(place, from, loc->loc_data.loc_by_name.name, loc->loc_data.loc_by_name.lapl_id, err);
    if (loc->type == H5VL_OBJECT_BY_IDX)
        return place_of_index(place, from, &loc->loc_data.loc_by_idx, err);
    return vz_fail(err, VZ_INVALID, "a link is named by a path or an index");
}

/* Native keeps the ASCII character set of the default list, which is what h5py mostly gives,
 * also where the name is not ASCII. It gives that set to intermediate groups whatever the list
 * says. Our sets are truthful, so that nothing need be noted. */
static bool is_beyond_ascii(const char *name)
{
    bool beyond = false;
    for (const char *c = name; *c; c++)
        beyond = beyond || (unsigned char)*c > 127;
    return beyond && vz_utf8_valid(name, strlen(name));
}

/* As native has it: the group tracks the order of its links as the one above does. */
static bool make_group(vz_node *parent, const char *name, unsigned attributes, vz_error *err)
{
    vz_node *group = vz_group_new(parent->hierarchy, parent->track_order, err);
    if (!group)
        return false;
    const bool ok = vz_handle_group_inherit_order(group, parent, attributes, err) &&
                    vz_edit_link(group, parent, name, is_beyond_ascii(name), err);
    vz_node_unref(group);
    return ok;
}

/* Makes the groups of `parent` that are missing; `cut` is a copy of it to work in. */
static bool make_groups(const vz_handle *from, const char *parent, char *cut, hid_t lapl, unsigned attributes,
                        vz_error *err)
{
    vz_place part = {0};
    for (size_t i = 1; i <= strlen(parent); i++) {
        if (parent[i] != '/' && parent[i] != '\0')
            continue;
        memcpy(cut, parent, i);
        cut[i] = '\0';
        if (vz_locate_is_trivial(cut))
            continue;
        if (!place_of_name(&part, from, cut, lapl, err)) {
            const bool leaves = part.out.group != NULL; /* what is behind is made there */
            vz_locate_exit_clear(&part.out);
            return leaves;
        }
        const bool ok =
            vz_group_find(part.group, part.name, NULL) || make_group(part.group, part.name, attributes, err);
        vz_place_clear(&part);
        if (!ok)
            return false;
    }
    return true;
}

static bool link_wishes(hid_t lcpl, bool *intermediate, bool *utf8, vz_error *err)
{
    unsigned make = 0;
    H5T_cset_t cset = H5T_CSET_ASCII;
    *intermediate = *utf8 = false;
    if (lcpl == H5P_LINK_CREATE_DEFAULT)
        return true;
    if (H5Pget_create_intermediate_group(lcpl, &make) < 0 || H5Pget_char_encoding(lcpl, &cset) < 0)
        return vz_fail_hdf5(err);
    *intermediate = make != 0;
    *utf8 = cset == H5T_CSET_UTF8;
    return true;
}

bool vz_place_for_new(vz_place *place, const vz_handle *from, const char *path, hid_t lcpl, hid_t lapl, vz_error *err)
{
    const vz_creation with = {.lcpl = lcpl, .apl = lapl};
    return vz_place_for_group(place, from, path, &with, 0, err);
}

/* A file that was opened for reading has no place for anything new. But a path may lead to another
 * file that has: one that is mounted, or that an external link names. */
static bool place_elsewhere(vz_place *place, const vz_handle *from, const char *path, hid_t lapl, vz_error *err)
{
    char *parent = NULL;
    if (!split(place, path, &parent, NULL))
        return vz_handle_check_write(from, err);
    const bool is_here = enter(place, from, parent, lapl, NULL);
    free(parent);
    if (is_here && (vz_mount_file_of(from->file, place->group)->intent & H5F_ACC_RDWR))
        return enter_link(place, err);
    if (is_here)
        vz_place_clear(place);
    return !place->out.group && vz_handle_check_write(from, err);
}

bool vz_place_for_group(vz_place *place, const vz_handle *from, const char *path, const vz_creation *with,
                        unsigned attributes, vz_error *err)
{
    bool intermediate = false, utf8 = false;
    char *parent = NULL;
    *place = (vz_place){0};
    if (!link_wishes(with->lcpl, &intermediate, &utf8, err))
        return false;
    if (!vz_handle_check_write(from, NULL)) {
        const bool ok = place_elsewhere(place, from, path, with->apl, err);
        place->utf8 = utf8;
        return ok;
    }
    if (vz_locate_is_trivial(path)) {
        vz_error_set(err, VZ_EXISTS, "\"%s\": name already exists", path);
        vz_error_where(err, from->file->name, NULL);
        return false;
    }
    if (!split(place, path, &parent, err))
        return false;
    char *cut = strdup(parent);
    const bool ok = (cut || vz_fail_memory(err)) &&
                    (!intermediate || make_groups(from, parent, cut, with->apl, attributes, err)) &&
                    enter(place, from, parent, with->apl, err) && enter_link(place, err);
    free(cut);
    free(parent);
    place->utf8 = utf8;
    if (!ok)
        give_up(place);
    return ok;
}

bool vz_place_is_utf8(hid_t lcpl, const char *name, bool *utf8, vz_error *err)
{
    bool intermediate = false;
    if (!link_wishes(lcpl, &intermediate, utf8, err))
        return false;
    *utf8 = *utf8 || is_beyond_ascii(name);
    return true;
}

bool vz_place_link(const vz_place *place, vz_node *node, vz_error *err)
{
    const bool had_name = !node->partial, utf8 = place->utf8 || is_beyond_ascii(place->name);
    return vz_edit_link(node, place->group, place->name, utf8, err) && (had_name || vz_datatypes_named(node, err));
}
