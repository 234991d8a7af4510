/* dtype_json.h - an element type in numpy's spelling, as test data has it. */
#ifndef VZ_TEST_DTYPE_JSON_H
#define VZ_TEST_DTYPE_JSON_H

#include "codecs_json.h"
#include "metadata/metadata/metadata.h"

/* The type of an array with these filters. */
static inline vz_dtype *dtype_parse_json(const vz_json *spelling, const vz_json *filters, vz_error *err)
{
    vz_codecs codecs = {0};
    const bool ok = codecs_append_json(&codecs, filters, err);
    vz_dtype *dtype = ok ? vz_dtype_parse_v2(spelling, codecs.count ? &codecs.specs[0] : NULL, err) : NULL;
    vz_codecs_clear(&codecs);
    return dtype;
}

#endif
