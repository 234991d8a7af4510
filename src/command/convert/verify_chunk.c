/* verify_chunk.c - a pipeline of HDF5's filters as a chain of codecs. */
#include "command/convert/copy_internal.h"
#include "codec/chain/chain.h"
#include "command/convert/convert_internal.h"
#include <stdlib.h>

static bool add_shuffle(vz_codecs *codecs, unsigned element_size, vz_error *err)
{
    vz_json *configuration = vz_json_object(err);
    if (configuration && vz_json_set(configuration, "elementsize", vz_json_int64(element_size, err), err))
        return vz_codecs_append(codecs, "shuffle", configuration, err);
    vz_json_free(configuration);
    return false;
}

static bool add_filter(vz_convert_chunk_check *check, hid_t dcpl, unsigned index, vz_error *err)
{
    unsigned flags, config, values[8] = {0};
    size_t count = sizeof values / sizeof *values;
    switch (H5Pget_filter2(dcpl, index, &flags, &count, values, 0, NULL, &config)) {
    case H5Z_FILTER_DEFLATE:
        return vz_codecs_append(&check->codecs, "zlib", NULL, err);
    case H5Z_FILTER_FLETCHER32:
        return vz_codecs_append(&check->codecs, "fletcher32", NULL, err);
    case H5Z_FILTER_SHUFFLE:
        return values[0] <= 1 || add_shuffle(&check->codecs, values[0], err);
    default:
        check->can = false;
        return true;
    }
}

bool vz_convert_chunk_check_open(vz_convert_chunk_check *check, hid_t dcpl, size_t element_size, uint64_t chunk_size,
                                 vz_error *err)
{
    const int count = H5Pget_nfilters(dcpl);
    *check = (vz_convert_chunk_check){.can = count > 0 && chunk_size > 0 && chunk_size <= SIZE_MAX,
                                      .size = (size_t)chunk_size};
    bool ok = true;
    for (int i = 0; ok && check->can && i < count; i++)
        ok = add_filter(check, dcpl, (unsigned)i, err);
    if (!ok || !check->can)
        return ok;
    const vz_chain_chunk chunk = {
        .element_size = element_size, .element_count = check->size / element_size, .rank = 1, .as_filters = true};
    check->can = vz_chain_open(&check->chain, &check->codecs, &chunk, NULL);
    check->room = check->can ? malloc(check->size) : NULL;
    return !check->can || check->room || vz_fail_memory(err);
}

void vz_convert_chunk_check_close(vz_convert_chunk_check *check)
{
    if (check->chain.count)
        vz_chain_clear(&check->chain);
    vz_codecs_clear(&check->codecs);
    free(check->room);
    *check = (vz_convert_chunk_check){0};
}

bool vz_convert_chunk_check_look(const vz_convert_chunk_check *check, vz_bytes stored, unsigned mask)
{
    return !check->can || mask || vz_chain_decode(&check->chain, stored, check->room, check->size, 0, NULL);
}
