/* storage_type.c - the storage of a new dataset of an HDF5 type, by dialect. */
#include "hdf5/dialects/dialects_internal.h"
#include "hdf5/dialects/hdmf_internal.h"
#include "hdf5/types/types.h"

static vz_json *object_codec(const vz_dtype *dtype, vz_error *err)
{
    vz_json *codec = vz_json_object(err);
    const char *id = dtype->object == VZ_OBJECT_TEXT ? "vlen-utf8" : "vlen-bytes";
    if (codec && vz_json_set_text(codec, "id", id, err))
        return codec;
    vz_json_free(codec);
    return NULL;
}

/* The attributes may have the whole type. */
static bool is_in_attributes(const vz_dialect_plan *plan, hid_t type)
{
    const hid_t named = vz_hdmf_type_named(plan->dtype, plan->zarr_dtype);
    vz_json *a = named >= 0 ? vz_short_form_print(named, NULL) : NULL, *b = a ? vz_short_form_print(type, NULL) : NULL;
    const bool same = b && vz_json_equal(a, b);
    vz_json_free(a);
    vz_json_free(b);
    if (named >= 0)
        H5Tclose(named);
    return same;
}

static bool plan_plainly(vz_dialect_plan *plan, const vz_type_tree *layout, bool scalar, vz_error *err)
{
    const bool little = vz_type_is_mixed(layout) || (plan->writer->little_records && layout->class == H5T_COMPOUND);
    const vz_type_context context = {.little = little, .narrow = plan->writer->narrow_words};
    plan->dtype = vz_type_to_zarr(layout, context, err);
    if (!plan->dtype)
        return false;
    if (plan->dtype->kind == VZ_DTYPE_OBJECT && !(plan->codec = object_codec(plan->dtype, err)))
        return false;
    plan->zarr_dtype =
        plan->null ? vz_dialect_zarr_dtype_of_null(err) : vz_dialect_zarr_dtype_new(plan->dtype, layout, scalar, err);
    return plan->zarr_dtype != NULL;
}

static bool plan_element(vz_dialect_plan *plan, hid_t type, const vz_type_tree *layout, bool scalar, vz_error *err)
{
    bool special = false;
    if (plan->writer->plan && !plan->writer->plan(plan, layout, scalar, &special, err))
        return false;
    if (!special && !plan_plainly(plan, layout, scalar, err))
        return false;
    return (special && is_in_attributes(plan, type)) || vz_type_annotation(plan->dtype, type, &plan->annotation, err);
}

static bool is_plain_number(hid_t type)
{
    vz_number_format number;
    if (vz_standard_number(type, &number))
        return true;
    const H5T_class_t class = H5Tget_class(type);
    return class == H5T_INTEGER || class == H5T_FLOAT;
}

bool vz_dialect_plan_make(vz_dialect_plan *plan, hid_t type, bool scalar, vz_error *err)
{
    if (!plan->writer)
        plan->writer = vz_writer_for(VZ_DIALECT_PLAIN, vz_zarr_format_of(VZ_FORMAT_DEFAULT));
    plan->axes = 0;
    const bool is_number = is_plain_number(type); /* which has no parts: it is looked at as it is */
    const hid_t element = is_number         ? type
                          : plan->with_axes ? vz_type_strip_dims(type, &plan->axes, plan->axis, err)
                                            : H5Tcopy(type);
    vz_type_tree *layout = element >= 0 ? vz_type_tree_new(element, err) : NULL;
    const bool ok = layout && plan_element(plan, type, layout, scalar, err);
    vz_type_tree_free(layout);
    if (element >= 0 && !is_number)
        H5Tclose(element);
    if (!ok)
        vz_dialect_plan_clear(plan);
    return ok;
}

void vz_dialect_plan_clear(vz_dialect_plan *plan)
{
    vz_dtype_free(plan->dtype);
    vz_dtype_free(plan->row);
    vz_json_free(plan->codec);
    vz_json_free(plan->annotation);
    vz_json_free(plan->zarr_dtype);
    *plan = (vz_dialect_plan){.with_axes = plan->with_axes, .writer = plan->writer, .pickle_refs = plan->pickle_refs};
}
