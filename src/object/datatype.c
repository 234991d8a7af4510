/* datatype.c - committed datatypes: commit, open, what they tell, and what was created with them. */
#include "object/datatype.h"
#include "h5/errors.h"
#include "map/committed.h"
#include "object/group.h"
#include "object/info.h"
#include <stdlib.h>

/* ---- handles ---- */

static vz_handle *open_with_twin(vz_file *file, vz_node *node, hid_t type, vz_error *err)
{
    vz_handle *handle = vz_handle_open(file, H5I_DATATYPE, node, err);
    if (!handle || vz_type_twin_open(&handle->type_twin, type, err))
        return handle;
    vz_handle_drop(handle, err);
    return NULL;
}

vz_handle *vz_datatype_handle(vz_file *file, vz_node *node, vz_error *err)
{
    const hid_t type = vz_committed_type(node, err);
    if (type < 0)
        return NULL;
    vz_handle *handle = open_with_twin(file, node, type, err);
    vz_h5_close_quietly(type);
    return handle;
}

/* ---- commit and open ---- */

/* A compound or an enumeration without members describes nothing yet. */
static bool is_complete(hid_t type, vz_error *err)
{
    const H5T_class_t class = H5Tget_class(type);
    return (class != H5T_COMPOUND && class != H5T_ENUM) || H5Tget_nmembers(type) > 0 ||
           vz_fail(err, VZ_INVALID, "the datatype has no members");
}

/* Predefined types cannot be committed. HDF5 tells that a type is read-only only where it is changed: here to what it
 * is. */
static bool is_immutable(hid_t type)
{
    herr_t status = 0;
    char *tag;
    switch (H5Tget_class(type)) {
    case H5T_INTEGER:
    case H5T_FLOAT:
    case H5T_BITFIELD:
    case H5T_TIME:
    case H5T_REFERENCE:
        status = H5Tset_order(type, H5Tget_order(type));
        break;
    case H5T_STRING:
        status = H5Tset_cset(type, H5Tget_cset(type));
        break;
    case H5T_OPAQUE:
        tag = H5Tget_tag(type);
        status = tag ? H5Tset_tag(type, tag) : 0;
        H5free_memory(tag);
        break;
    default:
        break;
    }
    return status < 0;
}

static bool may_commit(hid_t type, vz_error *err)
{
    return is_immutable(type) ? vz_fail(err, VZ_INVALID, "a datatype that cannot be changed cannot be committed")
                              : is_complete(type, err);
}

vz_object *vz_datatype_commit(vz_object *obj, const vz_loc *loc, const char *name, hid_t type, hid_t lcpl, hid_t tcpl,
                              hid_t tapl, hid_t dxpl, vz_error *err)
{
    (void)loc, (void)dxpl;
    vz_handle *from = vz_handle_of(obj), *handle = NULL;
    vz_place place;
    if (!vz_list_check(tapl, H5P_DATATYPE_ACCESS, err) || !may_commit(type, err) ||
        !vz_place_of_new(&place, from, name, lcpl, err))
        return NULL;
    vz_node *node = vz_committed_new(vz_place_hierarchy(&place, from), type, tcpl, err);
    if (node)
        handle = open_with_twin(from->file, node, type, err);
    if (handle && place.group && !vz_place_link(&place, node, lcpl, err)) {
        vz_handle_drop(handle, err);
        handle = NULL;
    }
    if (node)
        vz_node_unref(node);
    if (handle)
        vz_opened_give(handle, &place.opened);
    vz_place_clear(&place);
    return handle ? &handle->object : NULL;
}

vz_object *vz_datatype_open(vz_object *obj, const vz_loc *loc, const char *name, hid_t tapl, hid_t dxpl, vz_error *err)
{
    (void)loc, (void)dxpl;
    vz_handle *from = vz_handle_of(obj), *handle = NULL;
    vz_opened opened = {0};
    vz_node *node =
        vz_list_check(tapl, H5P_DATATYPE_ACCESS, err) ? vz_locate_path_as(from, name, H5P_DEFAULT, &opened, err) : NULL;
    if (!node)
        return NULL;
    if (vz_is_committed(node))
        handle = vz_datatype_handle(from->file, node, err);
    else
        vz_fail(err, VZ_INVALID, "\"%s\" is not a named datatype", name);
    vz_node_unref(node);
    return vz_opened_give(handle, &opened) ? &handle->object : NULL;
}

/* ---- what they tell ---- */

/* HDF5's own description of the type: its size where buf is NULL. */
static bool encode(const vz_handle *handle, void *buf, size_t *size, vz_error *err)
{
    const hid_t type = vz_committed_type(handle->node, err);
    if (type < 0)
        return false;
    const bool ok = H5Tencode(type, buf, size) >= 0 || vz_fail_hdf5(err);
    vz_h5_close_quietly(type);
    return ok;
}

static bool get_binary(const vz_handle *handle, const H5VL_datatype_get_args_t *args, vz_error *err)
{
    size_t size = args->args.get_binary.buf_size;
    return encode(handle, args->args.get_binary.buf, &size, err) &&
           (size <= args->args.get_binary.buf_size || vz_fail(err, VZ_INVALID, "no room for %zu bytes", size));
}

static bool get_tcpl(const vz_handle *handle, hid_t *tcpl, vz_error *err)
{
    *tcpl = vz_committed_tcpl(handle->node, err);
    return *tcpl >= 0;
}

herr_t vz_datatype_get(vz_object *type, H5VL_datatype_get_args_t *args, hid_t dxpl, vz_error *err)
{
    (void)dxpl;
    const vz_handle *handle = vz_handle_of(type);
    switch (args->op_type) {
    case H5VL_DATATYPE_GET_BINARY_SIZE:
        *args->args.get_binary_size.size = 0;
        return vz_status(encode(handle, NULL, args->args.get_binary_size.size, err));
    case H5VL_DATATYPE_GET_BINARY:
        return vz_status(get_binary(handle, args, err));
    case H5VL_DATATYPE_GET_TCPL:
        return vz_status(get_tcpl(handle, &args->args.get_tcpl.tcpl_id, err));
    }
    return vz_status(vz_fail(err, VZ_UNSUPPORTED, "datatype information %d", (int)args->op_type));
}

herr_t vz_datatype_specific(vz_object *type, H5VL_datatype_specific_args_t *args, hid_t dxpl, vz_error *err)
{
    (void)dxpl;
    const vz_handle *handle = vz_handle_of(type);
    switch (args->op_type) {
    case H5VL_DATATYPE_FLUSH:
        return vz_status(vz_handle_flush(handle, args->args.flush.type_id, err));
    case H5VL_DATATYPE_REFRESH:
        return vz_status(vz_node_refresh(handle->node, err));
    }
    return vz_status(vz_fail(err, VZ_UNSUPPORTED, "datatype operation %d", (int)args->op_type));
}

herr_t vz_datatype_optional(vz_object *type, H5VL_optional_args_t *args, hid_t dxpl, vz_error *err)
{
    (void)type, (void)dxpl;
    return vz_status(vz_fail(err, VZ_UNSUPPORTED, "native datatype operation %d", args->op_type));
}

/* ---- what was created with them ---- */

bool vz_type_given_read(vz_type_given *given, hid_t type, const vz_hierarchy *hierarchy, vz_error *err)
{
    *given = (vz_type_given){.plain = type};
    if (!is_complete(type, err))
        return false;
    if (H5Tcommitted(type) <= 0)
        return true;
    vz_object *object = vz_object_of_id(type);
    if (object && vz_is_zarr(object) && vz_handle_of(object)->file->hierarchy == hierarchy) {
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

bool vz_type_given_note(const vz_type_given *given, vz_node *node, const char *attribute, vz_error *err)
{
    if (given->path)
        return vz_committed_note(node, attribute, given->path, err) &&
               vz_committed_register_use(node, given->path, err);
    return !given->node || wait_for_name(given->node, node, attribute, err);
}

/* The type `node` got a name. */
static bool type_named(vz_node *node, vz_error *err)
{
    char *path = all_waiting ? vz_node_path(node, err) : NULL;
    bool ok = true;
    for (waiting **at = &all_waiting, *w; path && (w = *at);) {
        if (w->type != node) {
            at = &w->next;
            continue;
        }
        *at = w->next;
        ok = vz_committed_note(w->user, w->attribute, path, err) && vz_committed_register(w->user, err) && ok;
        waiting_free(w);
    }
    free(path);
    return ok;
}

/* A new tree is all in memory. */
bool vz_datatypes_named(vz_node *top, vz_error *err)
{
    vz_link *link;
    if (vz_is_committed(top) && !type_named(top, err))
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
    const char *path = vz_committed_path(handle->node, attribute);
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
