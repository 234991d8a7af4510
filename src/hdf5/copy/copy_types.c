/* copy_types.c - committed datatypes that copied objects were made with: they are copied along. */
#include "hdf5/h5/h5.h"
#include "hdf5/references/committed.h"
#include "hdf5/attributes/attributes.h"
#include "hdf5/copy/copy_internal.h"
#include "hdf5/handles/committed_type.h"
#include <stdlib.h>

/* A committed type that was copied for what was made with it, within a store; one reference
 * each. */
struct vz_convert_copy_type {
    vz_node *original, *made;
};

static bool note(vz_objcopy *copy, vz_node *original, vz_node *made)
{
    if (copy->type_count == copy->type_capacity) {
        const size_t capacity = copy->type_capacity ? 2 * copy->type_capacity : 8;
        struct vz_convert_copy_type *types = realloc(copy->types, capacity * sizeof *types);
        if (!types)
            return vz_fail_memory(copy->err);
        copy->types = types;
        copy->type_capacity = capacity;
    }
    vz_node_ref(original);
    vz_node_ref(made);
    copy->types[copy->type_count++] = (struct vz_convert_copy_type){original, made};
    return true;
}

/* The copy of a committed type: an id. */
static hid_t copy_committed(vz_objcopy *copy, hid_t from)
{
    hid_t known;
    if (!vz_copy_known(copy, from, &known))
        return H5I_INVALID_HID;
    const hid_t made = vz_copy_whole(copy, from);
    if (made < 0 || known || !copy->same_file || (copy->flags & H5O_COPY_MERGE_COMMITTED_DTYPE_FLAG))
        return made;
    if (note(copy, vz_handle_of(vz_object_of_id(from))->node, vz_handle_of(vz_object_of_id(made))->node))
        return made;
    vz_h5_close_quietly(made);
    return H5I_INVALID_HID;
}

hid_t vz_copy_type_of(vz_objcopy *copy, hid_t given)
{
    if (given < 0)
        return given;
    return H5Tcommitted(given) > 0 ? copy_committed(copy, given) : H5Tcopy(given);
}

bool vz_copy_keep_original_types(vz_objcopy *copy)
{
    bool ok = true;
    for (size_t i = 0; ok && i < copy->type_count; i++) {
        char *path = vz_node_path(copy->types[i].made, NULL);
        ok = path || vz_datatype_replace(copy->types[i].made, copy->types[i].original, copy->err);
        free(path);
    }
    return ok;
}

void vz_copy_drop_types(vz_objcopy *copy)
{
    for (size_t i = 0; i < copy->type_count; i++) {
        vz_node_unref(copy->types[i].original);
        vz_node_unref(copy->types[i].made);
    }
    free(copy->types);
    copy->types = NULL;
    copy->type_count = copy->type_capacity = 0;
}

/* ---- copies of nodes ---- */

typedef struct retarget {
    vz_objcopy *copy;
    const vz_handle *from;
    vz_node *made;
} retarget;

/* key: an attribute's, or NULL. */
static bool use_copy(const retarget *r, vz_node *type, const char *key)
{
    vz_objcopy *copy = r->copy;
    vz_datatype_given given;
    const hid_t from = vz_handle_id_open(r->from->file, type, copy->err);
    const hid_t to = from < 0 ? from : copy_committed(copy, from);
    bool ok = to >= 0 && vz_datatype_given_read(&given, to, NULL, r->made->hierarchy, copy->err);
    if (ok) {
        ok = vz_datatype_given_store(&given, r->made, key ? vz_attribute_name_of(r->made, key) : NULL, copy->err);
        vz_datatype_given_clear(&given);
    }
    if (to >= 0)
        vz_h5_close_quietly(to);
    if (from >= 0)
        vz_h5_close_quietly(from);
    return ok;
}

static bool retarget_use(const char *key, const char *path, void *context, vz_error *err)
{
    const retarget *r = context;
    vz_node *type = vz_committed_at(r->from->file->hierarchy, path);
    return vz_committed_forget(r->made, key, err) && (!type || use_copy(r, type, key));
}

bool vz_copy_retarget_types(vz_objcopy *copy, const vz_handle *from, vz_node *made)
{
    retarget r = {copy, from, made};
    return vz_committed_each_use(from->node, retarget_use, &r, copy->err);
}
