/* verify_type.c - two types: the same, and committed under the same name where they are
 * committed. */
#include "command/convert/verify_internal.h"
#include <string.h>

static const char *committed_path(vz_verification *v, int side, hid_t type)
{
    char token[VZ_TOKEN_TEXT];
    if (H5Tcommitted(type) <= 0 || !vz_convert_object_token(type, token, NULL))
        return "";
    const char *path = vz_strmap_get(v->paths[side], token);
    return path ? path : "";
}

bool vz_verify_type(vz_verification *v, hid_t a, hid_t b, vz_error *err)
{
    if (a < 0 || b < 0)
        return vz_convert_h5_fail(err, "its type cannot be had");
    const hid_t copy = H5Tcopy(a), wanted = copy < 0 ? copy : vz_convert_copy_netcdf_type(v->request, copy, err);
    const bool same = wanted >= 0 && H5Tequal(wanted, b) > 0;
    vz_convert_id_close(wanted);
    if (!same)
        return vz_differ(err, "the types differ");
    const char *one = committed_path(v, SOURCE, a), *other = committed_path(v, TARGET, b);
    return strcmp(one, other) == 0 ||
           vz_differ(err, "its type is the committed \"%.150s\" in the source, \"%.150s\" in the target", one, other);
}
