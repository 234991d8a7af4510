/* narrow_types.c - HDF5 types of numbers of few bits. They are custom floats and integers where
 * HDF5 reads every code rightly, else floats of 32 bits. */
#include "hdf5/types/elements_internal.h"
#include "hdf5/types/types_internal.h"

/* HDF5 takes the highest exponent for infinity and NaN, and knows no exponents alone. */
static bool is_read_right(const vz_narrow_form *form)
{
    return form->special == VZ_NARROW_IEEE || form->special == VZ_NARROW_INTEGER;
}

/* ---- to HDF5 ---- */

static bool set_float(hid_t type, const vz_narrow_form *form)
{
    const size_t sign = form->bits - 1, mantissa = form->mantissa;
    return H5Tset_fields(type, sign, mantissa, form->exponent, 0, mantissa) >= 0 &&
           H5Tset_size(type, form->size) >= 0 && H5Tset_ebias(type, (size_t)form->bias) >= 0;
}

hid_t vz_type_make_wide(const vz_dtype *dtype, vz_error *err)
{
    return vz_type_make_number((vz_number_format){.kind = VZ_NUMBER_FLOAT, .size = 4, .big_endian = dtype->big_endian},
                               err);
}

hid_t vz_type_make_narrow(const vz_dtype *dtype, vz_error *err)
{
    const vz_narrow_form *form = vz_narrow_form_of(dtype->narrow);
    const bool integer = form->special == VZ_NARROW_INTEGER;
    vz_number_format base = {.kind = VZ_NUMBER_FLOAT, .size = 4, .big_endian = dtype->big_endian};
    if (!is_read_right(form))
        return vz_type_make_wide(dtype, err);
    if (integer)
        base = (vz_number_format){.kind = form->is_signed ? VZ_NUMBER_INT : VZ_NUMBER_UINT, .size = 1};
    const hid_t type = H5Tcopy(vz_standard_type(base));
    if (type >= 0 && (integer ? H5Tset_precision(type, form->bits) >= 0 : set_float(type, form)))
        return type;
    if (type >= 0)
        H5Tclose(type);
    vz_type_refused(err, "make a number of few bits");
    return H5I_INVALID_HID;
}

/* ---- from HDF5 ---- */

static bool is_float_of(hid_t type, const vz_narrow_form *form)
{
    size_t sign, exponent, exponent_size, mantissa, mantissa_size;
    return H5Tget_fields(type, &sign, &exponent, &exponent_size, &mantissa, &mantissa_size) >= 0 &&
           H5Tget_norm(type) == H5T_NORM_IMPLIED && H5Tget_ebias(type) == (size_t)form->bias &&
           sign == form->bits - 1u && exponent == form->mantissa && exponent_size == form->exponent && mantissa == 0 &&
           mantissa_size == form->mantissa;
}

static bool is_type_of(hid_t type, H5T_class_t class, const vz_narrow_form *form)
{
    const bool integer = form->special == VZ_NARROW_INTEGER;
    if (!is_read_right(form) || class != (integer ? H5T_INTEGER : H5T_FLOAT))
        return false;
    return integer ? (H5Tget_sign(type) == H5T_SGN_2) == form->is_signed : is_float_of(type, form);
}

vz_narrow vz_type_tree_narrow(hid_t type, H5T_class_t class)
{
    const size_t size = H5Tget_size(type), precision = H5Tget_precision(type);
    const H5T_order_t order = H5Tget_order(type);
    if (size > 2 || H5Tget_offset(type) != 0 || (order != H5T_ORDER_LE && order != H5T_ORDER_BE))
        return VZ_NARROW_NONE;
    for (unsigned i = VZ_NARROW_NONE + 1; i < VZ_NARROW_COUNT; i++) {
        const vz_narrow_form *form = vz_narrow_form_of((vz_narrow)i);
        if (form->size == size && form->bits == precision && is_type_of(type, class, form))
            return (vz_narrow)i;
    }
    return VZ_NARROW_NONE;
}

bool vz_type_narrow_number(hid_t type, vz_number_format *number)
{
    const vz_narrow narrow = H5Tget_class(type) == H5T_FLOAT ? vz_type_tree_narrow(type, H5T_FLOAT) : VZ_NARROW_NONE;
    if (!narrow)
        return false;
    const size_t size = vz_narrow_form_of(narrow)->size;
    *number = (vz_number_format){VZ_NUMBER_FLOAT, size, size > 1 && H5Tget_order(type) == H5T_ORDER_BE, narrow};
    return true;
}

/* ---- elements that are shown as floats of 32 bits ---- */

static bool convert(vz_number_format from, vz_number_format to, vz_step_in in, vz_step_out out, size_t count,
                    vz_error *err)
{
    vz_number_conversion conversion;
    if (!vz_conversion_find(from, to, &conversion))
        return vz_fail(err, VZ_INVALID, "no conversion between a number of few bits and a float");
    conversion.run(&conversion, in.data, (ptrdiff_t)in.stride, out.data, (ptrdiff_t)out.stride, count);
    return true;
}

static bool unpack_narrow(const vz_step *step, vz_step_in in, vz_step_out out, size_t count, vz_arena *arena,
                          vz_error *err)
{
    (void)arena;
    return convert(step->number, step->layout->number, in, out, count, err);
}

static bool pack_narrow(const vz_step *step, vz_step_in in, vz_step_out out, size_t count, vz_arena *arena,
                        vz_error *err)
{
    (void)arena;
    return convert(step->layout->number, step->number, in, out, count, err);
}
const vz_step_run vz_steps_run_narrow = {unpack_narrow, pack_narrow};
