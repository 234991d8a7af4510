/* stored_form.c - what xarray sees of a netCDF node's attributes. */
#include "hdf5/netcdf/netcdf_internal.h"
#include "hierarchy/writeback/writeback.h"
#include "hdf5/annotation/annotation.h"
#include "hdf5/dialects/dialects.h"
#include "hierarchy/edit/edit.h"
#include <string.h>

/* Does it have dimension scales, or is the store a netCDF file? */
bool vz_netcdf_is_array(const vz_node *node)
{
    if (node->kind != VZ_NODE_ARRAY || !vz_node_understood(node) ||
        vz_writer_of(node->hierarchy)->dialect == VZ_DIALECT_HDMF || !vz_dimensions_are_wanted(node))
        return false;
    return vz_dimensions_is_scale(node) || vz_node_has_attribute(node, "DIMENSION_LIST") || vz_netcdf_is_shown(node) ||
           vz_dimensions_is_netcdf_scalar(node) ||
           vz_node_has_attribute(vz_hierarchy_root(node->hierarchy), VZ_NETCDF_PROPERTIES);
}

/* ---- attributes that xarray must not see ---- */

/* Format 2 has it as the fill value; in format 3 xarray refuses a store where it is no number. */
static bool is_unseen(const vz_node *node, const char *name)
{
    if (strcmp(name, VZ_FILL_ATTRIBUTE) == 0)
        return node->zarr_format->fill_value || !vz_netcdf_missing_value(node);
    return vz_netcdf_is_bookkeeping(node, name);
}

/* [place, name, value]; the value is shared, as attributes change as a whole. */
static bool add_unseen(vz_json *list, size_t place, const char *name, vz_json *value, vz_error *err)
{
    vz_json *item = vz_json_array(err);
    if (item && vz_json_append(item, vz_json_uint64(place, err), err) &&
        vz_json_append(item, vz_json_text(name, err), err) && vz_json_append(item, vz_json_share(value), err))
        return vz_json_append(list, item, err);
    vz_json_free(item);
    return false;
}

/* Takes the value, which may be empty: then the member goes. */
static bool annotate(vz_node *node, const char *key, vz_json *take, vz_error *err)
{
    const vz_json *now = vz_json_get(node->annotation, key);
    const bool empty = vz_json_length(take) == 0;
    if (empty ? !now : vz_json_equal(now, take)) {
        vz_json_free(take);
        return true;
    }
    if (!empty)
        return vz_annotation_set(node, key, take, err);
    vz_json_free(take);
    return vz_annotation_set(node, key, NULL, err);
}

static bool hide(vz_node *node, vz_error *err)
{
    vz_json *list = vz_json_array(err), *value;
    const char *name;
    bool ok = list != NULL;
    for (size_t i = 0; ok && vz_json_member(node->attributes, i, &name, &value); i++)
        ok = !is_unseen(node, name) || vz_node_shows_derived(node, name) || add_unseen(list, i, name, value, err);
    if (ok)
        return annotate(node, VZ_ANNOTATION_UNSEEN, list, err);
    vz_json_free(list);
    return false;
}

/* ---- attributes in another form ---- */

static bool is_bare(const vz_json *value)
{
    switch (vz_json_kind_of(value)) {
    case VZ_JSON_FALSE:
    case VZ_JSON_TRUE:
    case VZ_JSON_INTEGER:
    case VZ_JSON_REAL:
    case VZ_JSON_STRING:
        return true;
    default:
        return false;
    }
}

/* Attributes of conventions, which HDF5 programs do not see. */
static bool is_hidden(const char *name)
{
    for (size_t i = 0; vz_hidden_attributes[i]; i++)
        if (strcmp(name, vz_hidden_attributes[i]) == 0)
            return true;
    return false;
}

/* 0: it stands as it is. */
static int form_of(const vz_node *node, const char *name, const vz_json *value)
{
    const bool one = vz_json_kind_of(value) == VZ_JSON_ARRAY && vz_json_length(value) == 1;
    if (node->kind == VZ_NODE_ARRAY && strcmp(name, VZ_FILL_ATTRIBUTE) == 0 &&
        node->meta->dtype->kind == VZ_DTYPE_FLOAT)
        return one ? VZ_FORM_FLOAT : VZ_FORM_FLOAT_SCALAR;
    return one && is_bare(vz_json_at(value, 0)) && !is_hidden(name) ? VZ_FORM_BARE : 0;
}

static bool set_forms(vz_node *node, vz_error *err)
{
    vz_json *forms = vz_json_object(err), *value;
    const char *name;
    bool ok = forms != NULL;
    for (size_t i = 0; ok && vz_json_member(node->attributes, i, &name, &value); i++) {
        const bool as_it_is =
            (node->kind == VZ_NODE_ARRAY && is_unseen(node, name)) || vz_node_shows_derived(node, name);
        const int form = as_it_is ? 0 : form_of(node, name, value);
        ok = form == 0 || vz_json_set(forms, name, vz_json_int64(form, err), err);
    }
    if (ok)
        return annotate(node, VZ_ANNOTATION_FORMS, forms, err);
    vz_json_free(forms);
    return false;
}

/* ---- nodes ---- */

/* The groups above are netCDF groups. A note that stands elsewhere moves. */
bool vz_netcdf_mark(vz_node *node, vz_error *err)
{
    for (; node && !node->netcdf; node = node->parent) {
        node->netcdf = true;
        if (node->annotation_value && !vz_node_annotated(node, err))
            return false;
    }
    return true;
}

/* hdmf-zarr's word for the type, which no program of netCDF reads. */
static bool drop_dtype(vz_node *node, vz_error *err)
{
    return !vz_node_has_attribute(node, "zarr_dtype") || vz_node_remove_attribute(node, "zarr_dtype", err);
}

static bool keep_texts(vz_node *node, vz_error *err)
{
    return !vz_netcdf_is_shown(node) || vz_netcdf_keep_texts(node, err);
}

bool vz_netcdf_form_array(vz_node *array, vz_error *err)
{
    return vz_netcdf_mark(array, err) && drop_dtype(array, err) && keep_texts(array, err) && hide(array, err) &&
           set_forms(array, err) &&
           /* another program's fill value stays */
           (vz_netcdf_is_shown(array) || vz_netcdf_finish_fill(array, err));
}

bool vz_netcdf_finish_array(vz_node *array, vz_error *err)
{
    if (!vz_netcdf_is_array(array))
        return !array->note_in_group || vz_flush_note_to_array(array, err);
    return vz_netcdf_form_array(array, err) && vz_netcdf_place_note(array, err);
}

bool vz_netcdf_finish_group(vz_node *group, vz_error *err)
{
    if (vz_writer_of(group->hierarchy)->dialect == VZ_DIALECT_HDMF)
        return true;
    const bool is_file =
        vz_netcdf_is_shown(group) || vz_node_has_attribute(vz_hierarchy_root(group->hierarchy), VZ_NETCDF_PROPERTIES);
    return vz_edit_note_dimensions(group, err) && (!is_file || vz_netcdf_mark(group, err)) &&
           (!group->netcdf || !vz_node_is_dirty(group) || (keep_texts(group, err) && set_forms(group, err)));
}
