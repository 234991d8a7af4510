/* object_token.h - object tokens as text and in order. */
#ifndef VZ_OBJECT_OBJECT_TOKEN_H
#define VZ_OBJECT_OBJECT_TOKEN_H

#include "hdf5/handles/handle.h"

herr_t vz_token_cmp(vz_object *obj, const H5O_token_t *a, const H5O_token_t *b, int *result, vz_error *err);
herr_t vz_token_to_str(vz_object *obj, H5I_type_t type, const H5O_token_t *token, char **text, vz_error *err);
herr_t vz_token_from_str(vz_object *obj, H5I_type_t type, const char *text, H5O_token_t *token, vz_error *err);

#endif
