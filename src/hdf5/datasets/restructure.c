/* restructure.c - converts an array to the hdmf dialect. A new, unlinked array is made from its
 * HDF5 view. Its elements are copied chunk by chunk in the form of the shown type, and the two
 * are exchanged. */
#include "hdf5/datasets/finalize_internal.h"

#include "hdf5/h5/h5.h"
#include "hdf5/datasets/datasets.h"
#include "hdf5/datasets/datasets_internal.h"
#include "hdf5/datasets/view_internal.h"
#include "hdf5/dialects/dialects.h"
#include "hierarchy/edit/edit.h"

#include <stdlib.h>

/* Members of the annotation that come from creation arguments. All others stay as they are. */
static const char *const created_entries[] = {"t", "z", "s", "l", "f", "p"};

/* Quick: can the two dialects differ in this array? */
static bool may_differ(const vz_node *node)
{
    const vz_meta *meta = node->meta;
    if (!meta || vz_sources_kind_of(node) != VZ_SOURCES_NONE)
        return false;
    if (vz_writer_of_node(node)->bare_paths)
        return true; /* at least in the names of types */
    switch (meta->dtype->kind) {
    case VZ_DTYPE_BYTES:
    case VZ_DTYPE_STRUCT:
        return true;
    case VZ_DTYPE_OBJECT:
        if (meta->dtype->object != VZ_OBJECT_TEXT && meta->dtype->object != VZ_OBJECT_BYTES)
            return false; /* nothing that the plain dialect writes */
        return vz_annotation_get(node, "t") || meta->rank == 0;
    default:
        return meta->rank == 0;
    }
}

/* The node as it would be created now: unlinked, without elements. */
static vz_node *create_again(vz_node *node, vz_error *err)
{
    const hid_t type = vz_dataset_type(node, err);
    const hid_t space = type >= 0 ? vz_dataset_space(node, err) : H5I_INVALID_HID;
    const hid_t dcpl = space >= 0 ? vz_dataset_dcpl(node, err) : H5I_INVALID_HID;
    vz_node *made = dcpl >= 0 ? vz_dataset_create(node->hierarchy, type, space, dcpl, err) : NULL;
    const hid_t kept = vz_h5_errors_keep(err);
    if (dcpl >= 0)
        H5Pclose(dcpl);
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    vz_h5_errors_restore(kept);
    return made;
}

/* Are chunks of one chunks of the other? */
static bool same_chunks(const vz_meta *a, const vz_meta *b)
{
    return vz_dtype_equal(a->dtype, b->dtype) && a->chunk_count == b->chunk_count && a->separator == b->separator &&
           vz_codecs_equal(&a->codecs, &b->codecs);
}

static bool same_shape(const vz_meta *a, const vz_meta *b)
{
    return a->rank == b->rank && memcmp(a->shape, b->shape, a->rank * sizeof *a->shape) == 0;
}

static bool copy_entry(vz_node *node, const vz_node *made, const char *key, vz_error *err)
{
    const vz_json *value = vz_json_get(made->annotation, key);
    if (!value) {
        vz_json_remove(node->annotation, key);
        return true;
    }
    return vz_json_set(node->annotation, key, vz_json_copy(value, err), err);
}

static bool copy_created(vz_node *node, const vz_node *made, vz_error *err)
{
    const char *name;
    vz_json *value;
    for (size_t i = 0; i < sizeof created_entries / sizeof *created_entries; i++)
        if (!copy_entry(node, made, created_entries[i], err))
            return false;
    for (size_t i = 0; vz_json_member(made->attributes, i, &name, &value); i++)
        if (!vz_node_set_attribute(node, name, vz_json_copy(value, err), err))
            return false;
    return vz_node_annotated(node, err);
}

static void swap_meta(vz_node *node, vz_node *made)
{
    vz_meta *old = node->meta;
    vz_array_close(node->io); /* flushed */
    vz_array_close(made->io);
    node->io = made->io = NULL;
    node->meta = made->meta;
    made->meta = old;
    if (node->view)
        node->view_free(node->view);
    node->view = NULL;
}

/* beside: where its chunks are, NULL if they are the node's own, or if there are none. After a
 * failure the node is as before. */
static bool become(vz_node *node, vz_node *made, const char *beside, vz_error *err)
{
    vz_json *annotation = vz_json_copy(node->annotation, err);
    if (!annotation)
        return false;
    swap_meta(node, made);
    const bool ok =
        copy_created(node, made, err) && vz_node_meta_changed(node, err) && vz_edit_replace(node, beside, err);
    if (!ok) {
        vz_json *failed = node->annotation;
        swap_meta(node, made);
        node->annotation = annotation;
        annotation = failed;
    }
    vz_json_free(annotation);
    return ok;
}

/* A scalar's only chunk has the same key whether the shape is [] or [1]. */
static bool reform_in_place(vz_node *node, vz_node *made, vz_error *err)
{
    return (!node->io || vz_array_flush(node->io, err)) && become(node, made, NULL, err);
}

static bool reform_beside(vz_node *node, vz_node *made, vz_error *err)
{
    bool any = false;
    if (!vz_dataset_copy_elements(node, made, &any, err))
        return false;
    char *beside = any ? vz_node_prefix(made, err) : NULL;
    const bool ok = (!any || beside) && become(node, made, beside, err);
    free(beside);
    return ok;
}

bool vz_restructure_array(vz_node *node, vz_error *err)
{
    if (!may_differ(node))
        return true;
    vz_node *made = create_again(node, err);
    if (!made)
        return false;
    bool ok = true;
    if (!same_chunks(node->meta, made->meta))
        ok = reform_beside(node, made, err);
    else if (!same_shape(node->meta, made->meta))
        ok = node->meta->chunk_count == 1 ? reform_in_place(node, made, err) : reform_beside(node, made, err);
    else if (vz_writer_of_node(node)->bare_paths) /* references become paths */
        ok = copy_created(node, made, err) && vz_restructure_references(node, err);
    vz_node_unref(made);
    return ok;
}

bool vz_restructure_references(vz_node *node, vz_error *err)
{
    const vz_dataset_view *view = node->meta ? vz_dataset_view_of(node, NULL) : NULL;
    if (!view || view->null || H5Tdetect_class(view->shown, H5T_REFERENCE) <= 0)
        return true;
    return vz_dataset_refresh_references(node, err);
}
