/* hdmf_types.c - see hdmf_internal.h. hdmf-zarr has references and rows as Python objects, and all
 * text as text:
 *
 *     references                        |O, JSON objects
 *     compounds with text or references |O, one axis more than the dataspace, each member a JSON
 *     value
 *       or, if asked for, references    a structure with |O members, pickled rows
 *     fixed text                        |O, vlen-utf8 */
#include "hdf5/dialects/hdmf_internal.h"
#include "hdf5/dialects/dialects_internal.h"
#include "hdf5/types/types.h"

/* numcodecs' own defaults, which it writes down. */
#define JSON2                                                                                                          \
    "{\"id\":\"json2\",\"encoding\":\"utf-8\",\"skipkeys\":false,\"ensure_ascii\":true,\"check_circular\":true,"       \
    "\"allow_nan\":true,\"indent\":null,\"separators\":[\",\",\":\"],\"sort_keys\":true,\"strict\":true}"
#define PICKLE    "{\"id\":\"pickle\",\"protocol\":4}"
#define VLEN_UTF8 "{\"id\":\"vlen-utf8\"}"

static bool set_codec(vz_dialect_plan *plan, const char *text, vz_error *err)
{
    plan->codec = vz_json_parse(text, strlen(text), err);
    return plan->codec != NULL;
}

static bool set_objects(vz_dialect_plan *plan, vz_dtype_object_kind kind, const char *codec, vz_error *err)
{
    plan->dtype = vz_dtype_new(VZ_DTYPE_OBJECT, 0, false, err);
    if (!plan->dtype || !set_codec(plan, codec, err))
        return false;
    plan->dtype->object = kind;
    if (kind != VZ_OBJECT_JSON)
        return true;
    plan->dtype->codec = strdup(vz_json_get_string(vz_json_get(plan->codec, "id"), NULL));
    return plan->dtype->codec || vz_fail_memory(err);
}

/* ---- compounds ---- */

/* Text, fixed or not, or references in it? */
static bool has_text(const vz_type_tree *layout)
{
    if (layout->class == H5T_STRING)
        return true;
    bool found = layout->base && has_text(layout->base);
    for (size_t i = 0; layout->members && i < layout->count; i++)
        found = found || has_text(layout->members[i].layout);
    return found;
}

static bool is_row(const vz_type_tree *layout)
{
    return layout->class == H5T_COMPOUND && !layout->is_complex && !layout->has_sequences && has_text(layout);
}

/* Members of which numpy's structures have each as it is. */
static bool is_flat(const vz_type_tree *layout)
{
    for (size_t i = 0; i < layout->count; i++) {
        const vz_type_tree *member = layout->members[i].layout;
        if (member->class != H5T_STRING && !member->is_number)
            return false;
    }
    return true;
}

static vz_json *member_entry(const vz_type_tree_member *member, vz_error *err)
{
    vz_dtype *dtype = vz_type_to_zarr(member->layout, (vz_type_context){.inside = true}, err);
    vz_json *entry = dtype ? vz_json_object(err) : NULL;
    const bool text = member->layout->class == H5T_STRING && !member->layout->is_reference;
    const bool ok = entry && vz_json_set_text(entry, "name", member->name, err) &&
                    vz_json_set(entry, "dtype",
                                text ? vz_json_text("str_", err)
                                     : vz_dialect_zarr_dtype_of_element(dtype, member->layout, true, err),
                                err);
    vz_dtype_free(dtype);
    if (ok)
        return entry;
    vz_json_free(entry);
    return NULL;
}

static vz_json *member_names(const vz_type_tree *layout, vz_error *err)
{
    vz_json *list = vz_json_array(err);
    for (size_t i = 0; list && i < layout->count; i++)
        if (!vz_json_append(list, member_entry(&layout->members[i], err), err)) {
            vz_json_free(list);
            return NULL;
        }
    return list;
}

static vz_dtype *member_of_structure(const vz_type_tree *layout, vz_error *err)
{
    if (layout->class != H5T_STRING)
        return vz_type_to_zarr(layout, (vz_type_context){.inside = true, .little = true}, err);
    vz_dtype *dtype = vz_dtype_new(VZ_DTYPE_OBJECT, 0, false, err);
    if (dtype)
        dtype->object = VZ_OBJECT_JSON;
    return dtype;
}

static vz_dtype *structure_of(const vz_type_tree *layout, vz_error *err)
{
    vz_dtype *record = vz_dtype_new(VZ_DTYPE_STRUCT, 0, false, err);
    for (size_t i = 0; record && i < layout->count; i++) {
        const vz_type_tree_member *member = &layout->members[i];
        if (!vz_dtype_add_field(record, member->name, member_of_structure(member->layout, err), 0, NULL, err)) {
            vz_dtype_free(record);
            return NULL;
        }
    }
    return record;
}

static bool plan_row(vz_dialect_plan *plan, const vz_type_tree *layout, vz_error *err)
{
    const bool pickled = plan->pickle_refs && layout->has_references && is_flat(layout);
    if (!set_objects(plan, VZ_OBJECT_JSON, pickled ? PICKLE : JSON2, err))
        return false;
    if (pickled)
        return (plan->dtype->item = structure_of(layout, err)) != NULL;
    if (plan->axes == VZ_MAX_RANK)
        return vz_fail(err, VZ_LIMIT, "an array datatype of more than %d dimensions", VZ_MAX_RANK);
    plan->axis[plan->axes++] = layout->count;
    plan->row = vz_type_row(plan->dtype, layout, err);
    return plan->row != NULL;
}

/* ---- all ---- */

static bool plan_fixed_text(vz_dialect_plan *plan, bool scalar, vz_error *err)
{
    if (!set_objects(plan, VZ_OBJECT_TEXT, VLEN_UTF8, err))
        return false;
    plan->zarr_dtype = vz_json_text(scalar ? "scalar" : "str", err);
    return plan->zarr_dtype != NULL;
}

static bool is_fixed_text(const vz_type_tree *layout)
{
    return layout->class == H5T_STRING && !layout->is_variable;
}

bool vz_hdmf_plan(vz_dialect_plan *plan, const vz_type_tree *layout, bool scalar, bool *special, vz_error *err)
{
    const bool row = is_row(layout) && plan->with_axes;
    *special = !plan->null && (is_fixed_text(layout) || layout->is_reference || row);
    if (!*special)
        return true;
    if (row) {
        if (!plan_row(plan, layout, err))
            return false;
        plan->zarr_dtype = scalar ? vz_json_text("scalar", err) : member_names(layout, err);
    } else if (layout->is_reference) {
        if (!set_objects(plan, VZ_OBJECT_JSON, plan->pickle_refs ? PICKLE : JSON2, err))
            return false;
        plan->zarr_dtype = vz_json_text("object", err);
    } else
        return plan_fixed_text(plan, scalar, err);
    return plan->zarr_dtype != NULL;
}

/* References are text there, and so is text in compounds, of a fixed width. */
bool vz_hdmf_plan_v3(vz_dialect_plan *plan, const vz_type_tree *layout, bool scalar, bool *special, vz_error *err)
{
    *special = !plan->null && is_fixed_text(layout);
    return !*special || plan_fixed_text(plan, scalar, err);
}
