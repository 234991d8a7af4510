/* object_token.c - tokens: eight little-endian bytes of a number, printed as that number (what
 * h5dump and h5ls show as an address). */
#include "hdf5/object/object_internal.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

herr_t vz_obj_token_cmp(vz_object *obj, const H5O_token_t *a, const H5O_token_t *b, int *result, vz_error *err)
{
    (void)obj, (void)err;
    const uint64_t x = vz_bytes_load_le64(a), y = vz_bytes_load_le64(b);
    *result = (x > y) - (x < y);
    return 0;
}

/* HDF5 frees the text with H5free_memory. */
herr_t vz_obj_token_to_str(vz_object *obj, H5I_type_t type, const H5O_token_t *token, char **text, vz_error *err)
{
    (void)obj, (void)type;
    enum { DIGITS = 24 };
    *text = H5allocate_memory(DIGITS, false);
    if (!*text)
        return vz_handle_status(vz_fail_hdf5(err));
    snprintf(*text, DIGITS, "%" PRIu64, vz_bytes_load_le64(token));
    return 0;
}

herr_t vz_obj_token_from_str(vz_object *obj, H5I_type_t type, const char *text, H5O_token_t *token, vz_error *err)
{
    (void)obj, (void)type;
    char *end = NULL;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    if (errno || end == text || *end)
        return vz_handle_status(vz_fail(err, VZ_INVALID, "\"%s\" is not an object token", text));
    memset(token, 0, sizeof *token);
    vz_bytes_store_le64(token, number);
    return 0;
}
