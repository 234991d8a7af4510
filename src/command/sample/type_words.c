/* type_words.c - types: in words, how their elements are shown, and what they take. */
#include "command/sample/sample_internal.h"
#include <string.h>

static bool is_boolean(hid_t type)
{
    static const char *const names[] = {"FALSE", "TRUE"};
    bool is = H5Tget_nmembers(type) == 2 && H5Tget_size(type) == 1;
    for (unsigned i = 0; is && i < 2; i++) {
        char value = -1, *name = H5Tget_member_name(type, i);
        is = name && strcmp(name, names[i]) == 0 && H5Tget_member_value(type, i, &value) >= 0 && value == (char)i;
        if (name)
            H5free_memory(name);
    }
    return is;
}

bool vz_sample_type_words(hid_t type, vz_buffer *out, vz_error *err)
{
    char time[VZ_SAMPLE_DATE];
    if (H5Tget_class(type) == H5T_ENUM && is_boolean(type))
        return vz_words_printf(out, err, "bool");
    if (vz_sample_opaque_words(type, time))
        return vz_words_printf(out, err, "%s", time);
    if (vz_sample_is_complex(type))
        return vz_words_printf(out, err, "complex%zu", 8 * H5Tget_size(type));
    return vz_words_type(type, out, err);
}

vz_sample_class vz_sample_class_of(hid_t type)
{
    switch ((int)H5Tget_class(type)) {
    case H5T_INTEGER:
        return H5Tget_size(type) <= 8 ? VZ_SAMPLE_INTEGER : VZ_SAMPLE_OTHER;
    case H5T_FLOAT:
        return VZ_SAMPLE_REAL;
    case H5T_STRING:
        return VZ_SAMPLE_TEXT;
    case H5T_COMPOUND:
        return vz_sample_is_complex(type) ? VZ_SAMPLE_OTHER : VZ_SAMPLE_COMPOUND;
    case H5T_ENUM:
        return is_boolean(type) ? VZ_SAMPLE_BOOL : H5Tget_size(type) <= 8 ? VZ_SAMPLE_ENUMERATION : VZ_SAMPLE_OTHER;
    default:
        return VZ_SAMPLE_OTHER;
    }
}

bool vz_sample_is_variable(hid_t type)
{
    return H5Tis_variable_str(type) > 0 || H5Tdetect_class(type, H5T_VLEN) > 0 ||
           H5Tdetect_class(type, H5T_REFERENCE) > 0 ||
           (H5Tget_class(type) != H5T_STRING && H5Tdetect_class(type, H5T_STRING) > 0);
}
