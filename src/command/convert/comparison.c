/* comparison.c - one object on both sides: opening it, and reporting how both differ. */
#include "command/convert/compare_internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool vz_compare_differ(const vz_comparison *v, vz_difference difference, vz_error *err)
{
    difference.path = v->path;
    difference.attribute = v->attribute;
    return v->how->report(v->how->context, &difference, err);
}

bool vz_compare_differ_texts(const vz_comparison *v, vz_difference_kind kind, const char *what, const char *a,
                             const char *b, vz_error *err)
{
    return vz_compare_differ(v, (vz_difference){.kind = kind, .what = what, .text = {a, b}}, err);
}

bool vz_compare_unreadable(const vz_comparison *v, const vz_error *why, vz_error *err)
{
    H5Eclear2(H5E_DEFAULT);
    if (v->how->goes_on && why->class != VZ_NO_MEMORY)
        return vz_compare_differ_texts(v, VZ_DIFFERENCE_UNREADABLE, NULL, why->text, NULL, err);
    *err = *why;
    return false;
}

static hid_t open_side(const vz_comparison *v, int side, const char *path, vz_error *err)
{
    char *whole = NULL;
    if (asprintf(&whole, "%s%s", v->begin[side], *v->begin[side] && strcmp(path, "/") == 0 ? "" : path) < 0) {
        vz_fail_memory(err);
        return H5I_INVALID_HID;
    }
    const vz_convert_side *in = side == SOURCE ? &v->request->source : &v->request->target;
    const hid_t object = H5Oopen(v->file[side], whole, H5P_DEFAULT);
    if (object < 0) {
        vz_convert_h5_fail(err, "cannot be opened");
        vz_error_where(err, in->shown ? in->shown : in->path, whole);
    }
    free(whole);
    return object;
}

bool vz_compare_open(const vz_comparison *v, const char *path, hid_t object[2], vz_error *err)
{
    object[TARGET] = H5I_INVALID_HID;
    object[SOURCE] = open_side(v, SOURCE, path, err);
    if (object[SOURCE] >= 0)
        object[TARGET] = open_side(v, TARGET, path, err);
    return object[TARGET] >= 0;
}
