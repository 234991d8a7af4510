/* codecs_json.h - lists of codecs in numcodecs' form, as test data has them. */
#ifndef VZ_TEST_CODECS_JSON_H
#define VZ_TEST_CODECS_JSON_H

#include "codec/chain/chain.h"

static inline bool codecs_append_json(vz_codecs *codecs, const vz_json *value, vz_error *err)
{
    if (!value || vz_json_kind_of(value) == VZ_JSON_NULL)
        return true;
    if (vz_json_kind_of(value) != VZ_JSON_ARRAY)
        return vz_codecs_append_numcodecs(codecs, value, err);
    for (size_t i = 0; i < vz_json_length(value); i++)
        if (!vz_codecs_append_numcodecs(codecs, vz_json_at(value, i), err))
            return false;
    return true;
}

/* filters: NULL, null or a list; compressor: NULL, null or a codec. */
static inline bool chain_open_json(vz_chain *chain, const vz_json *filters, const vz_json *compressor,
                                   const vz_chain_chunk *chunk, vz_error *err)
{
    vz_codecs codecs = {0};
    const bool ok = codecs_append_json(&codecs, filters, err) && codecs_append_json(&codecs, compressor, err) &&
                    vz_chain_open(chain, &codecs, chunk, err);
    vz_codecs_clear(&codecs);
    return ok;
}

#endif
