/* compare_type.c - two types: the same, and committed under the same name where they are
 * committed. */
#include "command/convert/compare_internal.h"
#include <string.h>

static const char *committed_path(vz_comparison *v, int side, hid_t type)
{
    char token[VZ_TOKEN_TEXT];
    if (H5Tcommitted(type) <= 0 || !vz_convert_object_token(type, token, NULL))
        return "";
    const char *path = vz_strmap_get(v->paths[side], token);
    return path ? path : "";
}

static bool differ_types(vz_comparison *v, hid_t a, hid_t b, vz_error *err)
{
    vz_buffer text[2] = {0};
    bool ok = vz_words_type(a, &text[SOURCE], err) && vz_words_type(b, &text[TARGET], err);
    /* padding, alignment, and whatever else one line does not say */
    if (ok && strcmp((const char *)text[SOURCE].data, (const char *)text[TARGET].data) == 0)
        ok = vz_words_printf(&text[SOURCE], err, " of %zu bytes", H5Tget_size(a)) &&
             vz_words_printf(&text[TARGET], err, " of %zu bytes, not equal in HDF5's sense", H5Tget_size(b));
    ok = ok && vz_compare_differ_texts(v, VZ_DIFFERENCE_TYPE, "type", (const char *)text[SOURCE].data,
                                       (const char *)text[TARGET].data, err);
    vz_buffer_clear(&text[SOURCE]);
    vz_buffer_clear(&text[TARGET]);
    return ok;
}

bool vz_compare_types(vz_comparison *v, hid_t a, hid_t b, bool *same, vz_error *err)
{
    *same = false;
    if (a < 0 || b < 0)
        return vz_convert_h5_fail(err, "its type cannot be had");
    const hid_t copy = H5Tcopy(a), wanted = copy < 0 ? copy : vz_convert_copy_netcdf_type(v->request, copy, err);
    *same = wanted >= 0 && (H5Tequal(wanted, b) > 0 || vz_convert_is_netcdf_boolean(v->request, wanted, b));
    vz_convert_id_close(wanted);
    if (!*same)
        return differ_types(v, a, b, err);
    const char *one = committed_path(v, SOURCE, a), *other = committed_path(v, TARGET, b);
    return strcmp(one, other) == 0 || vz_compare_differ_texts(v, VZ_DIFFERENCE_TYPE, "committed type",
                                                              *one ? one : NULL, *other ? other : NULL, err);
}
