/* copy_object_header.c - what any object has: attributes and a comment. */
#include "command/convert/convert_internal.h"
#include <stdlib.h>

bool vz_convert_copy_comment(hid_t from, hid_t to, vz_error *err)
{
    const ssize_t length = H5Oget_comment(from, NULL, 0);
    if (length <= 0) {
        H5Eclear2(H5E_DEFAULT);
        return true;
    }
    char *comment = malloc((size_t)length + 1);
    if (!comment)
        return vz_fail_memory(err);
    const bool ok = H5Oget_comment(from, comment, (size_t)length + 1) >= 0 && H5Oset_comment(to, comment) >= 0;
    free(comment);
    return ok || vz_convert_h5_fail(err, "its comment cannot be copied");
}

/* Attributes and what else any object has; those that refer to others wait. */
bool vz_convert_copy_object_header(vz_convert_job *c, hid_t from, hid_t to, const char *path, vz_error *err)
{
    bool waits = false;
    return vz_convert_copy_attributes(c, from, to, false, &waits, err) && vz_convert_copy_comment(from, to, err) &&
           (!waits || vz_convert_names_add(&c->waiting, path, err));
}
