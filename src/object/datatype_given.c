/* datatype_given.c - committed datatypes that objects are created with: which one it was, also before it has a name. */
#include "object/datatype.h"
#include "h5/errors.h"
#include "map/attribute_name.h"
#include "map/committed.h"
#include <stdlib.h>

/* ---- given to us ---- */

/* A file that is mounted has handles of its own. */
static bool is_of(const vz_handle *type, const vz_file *file, const vz_hierarchy *hierarchy)
{
    const bool any = !file || file->hierarchy != hierarchy;
    return type->file->hierarchy == hierarchy && (any || type->file == file);
}

bool vz_type_given_read(vz_type_given *given, hid_t type, const vz_file *file, const vz_hierarchy *hierarchy,
                        vz_error *err)
{
    *given = (vz_type_given){.plain = type};
    if (!vz_datatype_is_complete(type, err))
        return false;
    if (H5Tcommitted(type) <= 0)
        return true;
    vz_object *object = vz_object_of_id(type);
    if (object && vz_is_zarr(object) && is_of(vz_handle_of(object), file, hierarchy)) {
        vz_error failure = VZ_ERROR_NONE;
        given->node = vz_handle_of(object)->node;
        vz_node_ref(given->node);
        given->path = vz_node_path(vz_handle_of(object)->node, &failure);
        if (!given->path && failure.class != VZ_OK) {
            vz_type_given_clear(given);
            return vz_fail(err, failure.class, "%s", failure.text);
        }
    }
    given->plain = H5Tcopy(type);
    given->copied = given->plain >= 0;
    if (given->copied)
        return true;
    vz_type_given_clear(given);
    return vz_fail_hdf5(err);
}

void vz_type_given_clear(vz_type_given *given)
{
    if (given->copied)
        vz_h5_close_quietly(given->plain);
    if (given->node)
        vz_node_unref(given->node);
    free(given->path);
    *given = (vz_type_given){.plain = H5I_INVALID_HID};
}

/* ---- types without a name ---- */

/* Made with a type that has no name yet. */
typedef struct waiting {
    struct waiting *next;
    vz_node *type, *user; /* one reference each */
    char *attribute;      /* NULL: the user is a dataset */
} waiting;

static waiting *all_waiting; /* state of the module instance */

static void waiting_free(waiting *w)
{
    vz_node_unref(w->type);
    vz_node_unref(w->user);
    free(w->attribute);
    free(w);
}

static bool wait_for_name(vz_node *type, vz_node *user, const char *attribute, vz_error *err)
{
    waiting *w = calloc(1, sizeof *w);
    char *name = attribute ? strdup(attribute) : NULL;
    if (!w || (attribute && !name)) {
        free(name);
        free(w);
        return vz_fail_memory(err);
    }
    vz_node_ref(type);
    vz_node_ref(user);
    *w = (waiting){all_waiting, type, user, name};
    all_waiting = w;
    return true;
}

/* attribute NULL: the node itself. */
static bool note_use(vz_node *node, const char *attribute, const char *path, vz_error *err)
{
    const char *key = attribute ? vz_attribute_key(node, attribute) : NULL;
    if (attribute && !key)
        return vz_fail(err, VZ_NOT_FOUND, "the attribute is gone");
    return vz_committed_note(node, key, path, err);
}

bool vz_type_given_note(const vz_type_given *given, vz_node *node, const char *attribute, vz_error *err)
{
    if (given->path)
        return note_use(node, attribute, given->path, err) && vz_committed_register_use(node, given->path, err);
    return !given->node || wait_for_name(given->node, node, attribute, err);
}

/* What waits for the type was made with the one at this path. */
static bool end_waiting(const vz_node *node, const char *path, vz_error *err)
{
    bool ok = true;
    for (waiting **at = &all_waiting, *w; (w = *at);) {
        if (w->type != node) {
            at = &w->next;
            continue;
        }
        *at = w->next;
        ok = note_use(w->user, w->attribute, path, err) && vz_committed_register(w->user, err) && ok;
        waiting_free(w);
    }
    return ok;
}

bool vz_datatype_replace(const vz_node *nameless, const vz_node *by, vz_error *err)
{
    vz_error failure = VZ_ERROR_NONE;
    char *path = all_waiting ? vz_node_path(by, &failure) : NULL;
    const bool ok = path ? end_waiting(nameless, path, err)
                         : failure.class == VZ_OK || vz_fail(err, failure.class, "%s", failure.text);
    free(path);
    return ok;
}

/* A new tree is all in memory. */
bool vz_datatypes_named(vz_node *top, vz_error *err)
{
    vz_link *link;
    if (vz_is_committed(top) && !vz_datatype_replace(top, top, err))
        return false;
    if (!vz_committed_register(top, err))
        return false;
    for (uint64_t i = 0; top->members && (link = vz_group_link_at(top, VZ_BY_NAME, i, NULL)); i++)
        if (link->kind == VZ_LINK_NODE && link->node && !vz_datatypes_named(link->node, err))
            return false;
    return true;
}

void vz_datatypes_drop(const vz_hierarchy *hierarchy)
{
    for (waiting **at = &all_waiting, *w; (w = *at);) {
        if (w->type->hierarchy == hierarchy) {
            *at = w->next;
            waiting_free(w);
        } else
            at = &w->next;
    }
}

/* ---- what users tell ---- */

static vz_node *waited_for(const vz_node *user, const char *attribute)
{
    for (const waiting *w = all_waiting; w; w = w->next)
        if (w->user == user && (attribute ? w->attribute && strcmp(w->attribute, attribute) == 0 : !w->attribute)) {
            vz_node_ref(w->type);
            return w->type;
        }
    return NULL;
}

static vz_node *noted(const vz_handle *handle, const char *attribute)
{
    const char *key = attribute ? vz_attribute_key(handle->node, attribute) : NULL;
    const char *path = attribute && !key ? NULL : vz_committed_path(handle->node, key);
    vz_hierarchy *hierarchy = handle->file->hierarchy;
    if (!path)
        return waited_for(handle->node, attribute);
    vz_node *node = vz_committed_at(hierarchy, path);
    if (node)
        vz_node_ref(node);
    return node;
}

static bool is_type(const vz_node *node, hid_t type)
{
    const hid_t committed = vz_committed_type(node, NULL);
    const bool same = committed >= 0 && H5Tequal(committed, type) > 0;
    if (committed >= 0)
        H5Tclose(committed);
    return same;
}

hid_t vz_datatype_named(const vz_handle *handle, const char *attribute, hid_t type, vz_error *err)
{
    if (type < 0)
        return type;
    vz_node *node = noted(handle, attribute);
    hid_t id = type;
    if (node && is_type(node, type)) {
        id = vz_handle_id_open(handle->file, node, err);
        vz_h5_close_quietly(type);
    }
    if (node)
        vz_node_unref(node);
    return id;
}
