/* token.c - H5O token callbacks. */
#include "hdf5/vol/vol_internal.h"

static herr_t token_cmp(void *obj, const H5O_token_t *a, const H5O_token_t *b, int *result)
{
    vz_vol_call call = vz_vol_begin();
    return vz_vol_status(vz_vol_ops(obj)->token_cmp(obj, a, b, result, &call.err), &call, __func__);
}

static herr_t token_to_str(void *obj, H5I_type_t type, const H5O_token_t *token, char **text)
{
    vz_vol_call call = vz_vol_begin();
    return vz_vol_status(vz_vol_ops(obj)->token_to_str(obj, type, token, text, &call.err), &call, __func__);
}

static herr_t token_from_str(void *obj, H5I_type_t type, const char *text, H5O_token_t *token)
{
    vz_vol_call call = vz_vol_begin();
    return vz_vol_status(vz_vol_ops(obj)->token_from_str(obj, type, text, token, &call.err), &call, __func__);
}

const H5VL_token_class_t vz_vol_token_class = {
    .cmp = token_cmp,
    .to_str = token_to_str,
    .from_str = token_from_str,
};
