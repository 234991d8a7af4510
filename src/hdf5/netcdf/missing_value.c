/* missing_value.c - the attribute _FillValue as netCDF has it: one value of the array's type. In
 * format 2 xarray takes it from the fill value; in format 3 a float is base64 of its 8 bytes. */
#include "hdf5/netcdf/netcdf_internal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Zarr formats ---- */

static bool is_word(const char *text, double *number)
{
    static const struct {
        const char *word;
        double number;
    } words[] = {{"NaN", NAN}, {"Infinity", INFINITY}, {"-Infinity", -INFINITY}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i].word) == 0) {
            *number = words[i].number;
            return true;
        }
    return false;
}

bool vz_netcdf_is_spelled_float(const vz_json *value, double *number)
{
    const char *text = vz_json_get_string(value, NULL);
    return text && (is_word(text, number) || vz_node_attribute_form_float(value, number));
}

/* ---- the value ---- */

static double float_of(const vz_dtype *dtype, uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    float single;
    double number;
    if (dtype->size == sizeof single) {
        memcpy(&single, &low, sizeof single);
        return single;
    }
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* NULL without an error: it is none that a number has words for. */
static vz_json *number_of_fill(const vz_meta *meta, vz_error *err)
{
    const vz_dtype *dtype = meta->dtype;
    const bool is_float = dtype->kind == VZ_DTYPE_FLOAT;
    if (dtype->size > sizeof(uint64_t) || (is_float && dtype->size < sizeof(float)))
        return NULL;
    const uint64_t bits = vz_scalar_load(meta->fill, dtype->size, dtype->big_endian);
    if (is_float)
        return vz_json_double(float_of(dtype, bits), err);
    return dtype->kind == VZ_DTYPE_INT ? vz_json_int64(vz_scalar_signed(bits, dtype->size), err)
                                       : vz_json_uint64(bits, err);
}

const vz_json *vz_netcdf_fill_attribute(const vz_node *array)
{
    const vz_json *value = vz_node_attribute(array, VZ_FILL_ATTRIBUTE);
    if (vz_json_kind_of(value) != VZ_JSON_ARRAY)
        return value;
    return vz_json_length(value) == 1 ? vz_json_at(value, 0) : NULL;
}

static vz_json *number_of_attribute(const vz_node *array, vz_error *err)
{
    const vz_json *value = vz_netcdf_fill_attribute(array);
    double number;
    if (!value)
        return NULL;
    if (vz_json_number_text(value))
        return vz_json_copy(value, err);
    if (array->meta->dtype->kind == VZ_DTYPE_FLOAT && vz_netcdf_is_spelled_float(value, &number))
        return vz_json_double(number, err);
    return NULL;
}

/* In format 2 xarray masks the fill value, but for what NCZarr wrote: its attribute tells. Of ours
 * the annotation does. */
static bool is_masked_fill(const vz_node *array)
{
    return !array->zarr_format->dimension_names && array->meta->fill_defined && !vz_netcdf_is_nczarr(array) &&
           !vz_json_get(array->annotation, VZ_ANNOTATION_FILL);
}

/* ---- the attribute ---- */

/* {"t": type}; NULL without an error where the number alone gives it. */
static bool type_entry(const vz_dtype *dtype, vz_json **entry, vz_error *err)
{
    const bool is_usual = dtype->size == 8 && !dtype->big_endian && dtype->kind != VZ_DTYPE_UINT;
    *entry = NULL;
    if (is_usual)
        return true;
    *entry = vz_json_object(err);
    if (*entry && vz_json_set(*entry, "t", vz_dtype_print_v2(dtype, err), err))
        return true;
    vz_json_free(*entry);
    *entry = NULL;
    return false;
}

static bool add(const vz_node *array, vz_json *derived, vz_json *number, vz_error *err)
{
    const vz_json *stored = vz_node_attribute(array, VZ_FILL_ATTRIBUTE);
    vz_json *list = vz_json_array(err), *entry = NULL, *kept = NULL;
    bool ok = list && vz_json_append(list, number, err);
    if (!list)
        vz_json_free(number);
    ok = ok && type_entry(array->meta->dtype, &entry, err) && (!stored || (kept = vz_json_copy(stored, err)));
    if (ok)
        return vz_netcdf_add(derived, VZ_FILL_ATTRIBUTE, list, entry, kept, err);
    vz_json_free(list);
    vz_json_free(entry);
    return false;
}

bool vz_netcdf_derive_missing(const vz_node *array, vz_json *derived, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    if (!vz_dtype_is_number(array->meta->dtype))
        return true;
    vz_json *number =
        is_masked_fill(array) ? number_of_fill(array->meta, &failed) : number_of_attribute(array, &failed);
    if (number)
        return add(array, derived, number, err);
    return failed.class == VZ_OK || vz_fail(err, failed.class, "%s", failed.text);
}
