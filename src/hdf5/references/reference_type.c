/* reference_type.c - the form: the type between a shown type with references and a memory type. */
#include "hdf5/references/references.h"
#include "hdf5/types/types.h"

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
    return mem_type >= 0 && H5Tget_class(mem_type) == H5T_REFERENCE ? copy(mem_type, err) : vz_type_make_text(err);
}

static void drop(hid_t type)
{
    if (type >= 0)
        H5Tclose(type);
}

/* A type being made of the forms of parts, and the memory type that stands beside it. */
typedef struct making {
    hid_t mem_type;
    hid_t made;
} making;

static bool form_of_base(void *context, const vz_type_part *base, vz_error *err)
{
    making *m = context;
    const hid_t in_memory = m->mem_type >= 0 ? H5Tget_super(m->mem_type) : H5I_INVALID_HID;
    m->made = form_of(base->type, in_memory, base->depth, err);
    drop(in_memory);
    return m->made >= 0;
}

static hid_t form_of_elements(hid_t shown, hid_t mem_type, H5T_class_t class, unsigned depth, vz_error *err)
{
    hsize_t dims[H5S_MAX_RANK];
    const bool is_like = mem_type >= 0 && H5Tget_class(mem_type) == class;
    making m = {is_like ? mem_type : H5I_INVALID_HID, H5I_INVALID_HID};
    if (!vz_type_parts(shown, depth, form_of_base, &m, err))
        return H5I_INVALID_HID;
    if (class == H5T_VLEN)
        return vz_type_make_sequence(m.made, err);
    const int rank = H5Tget_array_dims2(shown, dims);
    if (rank > 0)
        return vz_type_make_array(m.made, (unsigned)rank, dims, err);
    drop(m.made);
    vz_type_refused(err, "give the dimensions of an array datatype");
    return H5I_INVALID_HID;
}

/* Members one behind the other, since those before may be larger than in the shown type. */
static bool form_of_member(void *context, const vz_type_part *member, vz_error *err)
{
    making *m = context;
    const int at = m->mem_type >= 0 ? H5Tget_member_index(m->mem_type, member->name) : -1;
    const hid_t in_memory = at >= 0 ? H5Tget_member_type(m->mem_type, (unsigned)at) : H5I_INVALID_HID;
    const hid_t form = form_of(member->type, in_memory, member->depth, err);
    drop(in_memory);
    return vz_type_make_next_member(&m->made, member->name, form, err);
}

static hid_t form_of_compound(hid_t shown, hid_t mem_type, unsigned depth, vz_error *err)
{
    const bool is_like = mem_type >= 0 && H5Tget_class(mem_type) == H5T_COMPOUND;
    making m = {is_like ? mem_type : H5I_INVALID_HID, H5I_INVALID_HID};
    if (vz_type_parts(shown, depth, form_of_member, &m, err))
        return m.made;
    drop(m.made);
    return H5I_INVALID_HID;
}

/* Two types are gone down together here, of which one need not be like the other: a fold of its
 * own over vz_type_parts. */
static hid_t form_of(hid_t shown, hid_t mem_type, unsigned depth, vz_error *err)
{
    const H5T_class_t class = H5Tget_class(shown);
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
