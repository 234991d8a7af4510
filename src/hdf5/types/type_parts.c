/* type_parts.c - members and bases of datatypes; ids and names are closed after the visit. */
#include "hdf5/types/types.h"

typedef bool part_visit(void *context, const vz_type_part *part, vz_error *err);

bool vz_type_refused(vz_error *err, const char *what)
{
    return vz_fail(err, VZ_INVALID, "HDF5 refused to %s", what);
}

static bool visit_base(hid_t type, unsigned depth, part_visit *visit, void *context, vz_error *err)
{
    const vz_type_part part = {.type = H5Tget_super(type), .depth = depth + 1};
    if (part.type < 0)
        return vz_type_refused(err, "give the base of a datatype");
    const bool ok = visit(context, &part, err);
    H5Tclose(part.type);
    return ok;
}

static bool visit_member(hid_t type, const vz_type_part *at, part_visit *visit, void *context, vz_error *err)
{
    char *name = H5Tget_member_name(type, at->index);
    vz_type_part part = *at;
    part.name = name;
    part.type = H5Tget_member_type(type, at->index);
    part.offset = H5Tget_member_offset(type, at->index);
    const bool ok = name && part.type >= 0 ? visit(context, &part, err)
                                           : vz_type_refused(err, "describe a member of a compound datatype");
    if (part.type >= 0)
        H5Tclose(part.type);
    H5free_memory(name);
    return ok;
}

static bool visit_members(hid_t type, unsigned depth, part_visit *visit, void *context, vz_error *err)
{
    const int count = H5Tget_nmembers(type);
    if (count < 0)
        return vz_type_refused(err, "count the members of a datatype");
    vz_type_part part = {.depth = depth + 1};
    bool ok = true;
    for (; ok && part.index < (unsigned)count; part.index++)
        ok = visit_member(type, &part, visit, context, err);
    return ok;
}

bool vz_type_parts(hid_t type, unsigned depth, part_visit *visit, void *context, vz_error *err)
{
    const H5T_class_t class = H5Tget_class(type);
    const bool has_base = class == H5T_ARRAY || class == H5T_VLEN || class == H5T_ENUM || class == VZ_H5T_COMPLEX;
    if (class < 0)
        return vz_type_refused(err, "describe a datatype");
    if ((has_base || class == H5T_COMPOUND) && depth + 1 >= VZ_TYPE_MAX_DEPTH)
        return vz_fail(err, VZ_LIMIT, "datatypes nested deeper than %d", VZ_TYPE_MAX_DEPTH);
    if (class == H5T_COMPOUND)
        return visit_members(type, depth, visit, context, err);
    return !has_base || visit_base(type, depth, visit, context, err);
}
