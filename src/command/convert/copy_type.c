/* copy_type.c - datatypes: what uses a committed one in the source uses the same one in the
 * target. */
#include "command/convert/convert_internal.h"

static hid_t commit(vz_convert_job *c, hid_t type, hid_t group, const char *name, hid_t lcpl, vz_error *err)
{
    const hid_t made = H5Tcopy(type), tcpl = H5Tget_create_plist(type);
    const bool ok = made >= 0 && tcpl >= 0 &&
                    (name ? H5Tcommit2(group, name, made, lcpl, tcpl, H5P_DEFAULT)
                          : H5Tcommit_anon(c->to, made, tcpl, H5P_DEFAULT)) >= 0;
    if (!ok)
        vz_convert_h5_fail(err, "the datatype cannot be committed");
    c->counts->types++;
    vz_convert_id_close(tcpl);
    if (ok)
        return made;
    vz_convert_id_close(made);
    return H5I_INVALID_HID;
}

bool vz_convert_copy_committed(vz_convert_job *c, hid_t type, const char *token, const char *path, hid_t group,
                               const char *name, hid_t lcpl, vz_error *err)
{
    const hid_t made = vz_seen_add(c, token, path, err) ? commit(c, type, group, name, lcpl, err) : H5I_INVALID_HID;
    vz_convert_id_close(made);
    return made >= 0;
}

/* Its users come before its name, or it has none: it gets the name when that is met, and its
 * attributes then. */
static bool commit_nameless(vz_convert_job *c, hid_t type, const char *token, vz_seen **met, vz_error *err)
{
    H5O_info2_t info;
    if (H5Oget_info3(type, &info, H5O_INFO_BASIC) < 0)
        return vz_convert_h5_fail(err, "a committed datatype tells nothing of itself");
    const hid_t made = commit(c, type, H5I_INVALID_HID, NULL, H5P_DEFAULT, err);
    *met = made < 0 ? NULL : vz_seen_add(c, token, NULL, err);
    if (!*met) {
        vz_convert_id_close(made);
        return false;
    }
    (*met)->type = made;
    (*met)->token = info.token;
    return true;
}

hid_t vz_convert_copy_type(vz_convert_job *c, hid_t type, vz_error *err)
{
    const htri_t committed = H5Tcommitted(type);
    hid_t result;
    if (committed <= 0) {
        result = committed < 0 ? H5I_INVALID_HID : H5Tcopy(type);
    } else {
        char token[VZ_TOKEN_TEXT];
        if (!vz_convert_object_token(type, token, err))
            return H5I_INVALID_HID;
        vz_seen *met = vz_seen_find(c, token);
        if (!met && !commit_nameless(c, type, token, &met, err))
            return H5I_INVALID_HID;
        result = met->type;
        if (met->path)
            result = H5Topen2(c->to, met->path, H5P_DEFAULT);
        else if (H5Iinc_ref(result) < 0)
            result = H5I_INVALID_HID;
    }
    if (result < 0)
        vz_convert_h5_fail(err, "its datatype cannot be had in the target");
    return result;
}
