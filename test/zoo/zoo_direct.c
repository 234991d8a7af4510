/* zoo_direct.c - what h5repack cannot copy even from one HDF5 file to another: times (no native type), references that
 * are not whole elements, new references (the copies name the old file), links of classes that it does not know. */
#include "zoo.h"

#define USER_CLASS 187 /* of the range that is left to programs */

static hid_t traverse(const char *name, hid_t group, const void *data, size_t size, hid_t lapl, hid_t dxpl)
{
    (void)name, (void)data, (void)size, (void)lapl, (void)dxpl;
    return H5Oopen(group, ZOO_TARGET, H5P_DEFAULT);
}

static void user_link(hid_t file)
{
    const H5L_class_t class = {.version = H5L_LINK_CLASS_T_VERS, .id = (H5L_type_t)USER_CLASS, .trav_func = traverse};
    must(H5Lregister(&class));
    must(H5Lcreate_ud(file, "user", (H5L_type_t)USER_CLASS, "\0some data", 10, H5P_DEFAULT, H5P_DEFAULT));
    must(H5Lunregister((H5L_type_t)USER_CLASS));
}

static hid_t time32(void)
{
    return must(H5Tcopy(H5T_UNIX_D32LE));
}

static hid_t time64be(void)
{
    return must(H5Tcopy(H5T_UNIX_D64BE));
}

static hid_t ref_object(void)
{
    return must(H5Tcopy(H5T_STD_REF_OBJ));
}

static hid_t ref_new(void)
{
    return must(H5Tcopy(H5T_STD_REF));
}

static hid_t rows(void) /* as a dimension scale's REFERENCE_LIST */
{
    const hid_t type = must(H5Tcreate(H5T_COMPOUND, 16));
    must(H5Tinsert(type, "dataset", 0, H5T_STD_REF_OBJ));
    must(H5Tinsert(type, "dimension", 8, H5T_STD_I32LE));
    return type;
}

void zoo_part_direct(hid_t file)
{
    static const zoo_type kinds[] = {
        {"time32", time32}, {"time64be", time64be}, {"ref_object", ref_object}, {"ref_new", ref_new}, {"rows", rows},
    };
    zoo_show(file, kinds, sizeof kinds / sizeof *kinds);
    user_link(file);
}
