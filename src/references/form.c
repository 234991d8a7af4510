/* form.c - the type that stands between a shown type with references and a memory type. */
#include "references/reference.h"
#include "types/make.h"

static hid_t form_of(hid_t shown, hid_t mem_type, unsigned depth, vz_error *err);

static hid_t copy(hid_t type, vz_error *err)
{
    hid_t same = H5Tcopy(type);
    if (same < 0)
        vz_type_refused(err, "copy a datatype");
    return same;
}

/* mem_type: H5I_INVALID_HID where the memory type has nothing of the kind. */
static hid_t form_of_reference(hid_t mem_type, vz_error *err)
{
    return mem_type >= 0 && H5Tget_class(mem_type) == H5T_REFERENCE ? copy(mem_type, err) : vz_make_text(err);
}

static hid_t super_of(hid_t type, H5T_class_t class)
{
    return type >= 0 && H5Tget_class(type) == class ? H5Tget_super(type) : H5I_INVALID_HID;
}

static void drop(hid_t type)
{
    if (type >= 0)
        H5Tclose(type);
}

static hid_t form_of_elements(hid_t shown, hid_t mem_type, H5T_class_t class, unsigned depth, vz_error *err)
{
    hsize_t dims[H5S_MAX_RANK];
    hid_t base = H5Tget_super(shown), in_memory = super_of(mem_type, class);
    hid_t form = base >= 0 ? form_of(base, in_memory, depth + 1, err) : H5I_INVALID_HID;
    drop(in_memory);
    drop(base);
    if (form < 0)
        return form;
    if (class == H5T_VLEN)
        return vz_make_sequence(form, err);
    const int rank = H5Tget_array_dims2(shown, dims);
    if (rank > 0)
        return vz_make_array(form, (unsigned)rank, dims, err);
    drop(form);
    vz_type_refused(err, "give the dimensions of an array datatype");
    return H5I_INVALID_HID;
}

static hid_t form_of_member(hid_t shown, unsigned index, const char *name, hid_t mem_type, unsigned depth,
                            vz_error *err)
{
    hid_t member = H5Tget_member_type(shown, index), in_memory = H5I_INVALID_HID;
    const int at = mem_type >= 0 && H5Tget_class(mem_type) == H5T_COMPOUND ? H5Tget_member_index(mem_type, name) : -1;
    if (at >= 0)
        in_memory = H5Tget_member_type(mem_type, (unsigned)at);
    hid_t form = member >= 0 ? form_of(member, in_memory, depth + 1, err) : H5I_INVALID_HID;
    drop(in_memory);
    drop(member);
    return form;
}

/* Members one behind the other, since those before may be larger than in the shown type. */
static bool add_member(hid_t *compound, hid_t shown, unsigned index, hid_t mem_type, unsigned depth, vz_error *err)
{
    char *name = H5Tget_member_name(shown, index);
    const hid_t form = name ? form_of_member(shown, index, name, mem_type, depth, err) : H5I_INVALID_HID;
    const bool ok = vz_make_next_member(compound, name, form, err);
    H5free_memory(name);
    return ok;
}

static hid_t form_of_compound(hid_t shown, hid_t mem_type, unsigned depth, vz_error *err)
{
    hid_t compound = H5I_INVALID_HID;
    const int count = H5Tget_nmembers(shown);
    for (int i = 0; i < count; i++)
        if (!add_member(&compound, shown, (unsigned)i, mem_type, depth, err)) {
            drop(compound);
            return H5I_INVALID_HID;
        }
    return compound;
}

static hid_t form_of(hid_t shown, hid_t mem_type, unsigned depth, vz_error *err)
{
    const H5T_class_t class = H5Tget_class(shown);
    if (depth > VZ_LAYOUT_MAX_DEPTH) {
        vz_fail(err, VZ_LIMIT, "datatypes nested deeper than %d", VZ_LAYOUT_MAX_DEPTH);
        return H5I_INVALID_HID;
    }
    if (class == H5T_REFERENCE)
        return form_of_reference(mem_type, err);
    if (H5Tdetect_class(shown, H5T_REFERENCE) <= 0)
        return copy(shown, err);
    if (class == H5T_COMPOUND)
        return form_of_compound(shown, mem_type, depth, err);
    return form_of_elements(shown, mem_type, class, depth, err);
}

hid_t vz_reference_form(hid_t shown, hid_t mem_type, vz_error *err)
{
    return form_of(shown, mem_type, 0, err);
}
