/* inside_types_shown.h - the type that a dtype is shown as, for tests of types. */
#ifndef INSIDE_TYPES_SHOWN_H
#define INSIDE_TYPES_SHOWN_H

#include "inside_types_support.h"
#include "../unit/support/dtype_json.h"

/* The type that shows the dtype, by an annotation or by itself. */
static hid_t type_shown(const vz_dtype *dtype, const vz_json *annotation, vz_error *err)
{
    unsigned axes;
    vz_dtype *row;
    const hid_t told = annotation ? vz_short_form_parse(annotation, NULL) : H5I_INVALID_HID;
    return vz_type_show_axes(dtype, told, 0, NULL, &axes, &row, err);
}

#define SAME NULL /* the note is the short form */
#define TEXT "{\"str\":\"v\",\"pad\":\"null\",\"cs\":\"utf8\"}"

#endif
