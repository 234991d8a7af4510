/* format_v2.c - Zarr format 2: each kind of document has a name of its own. */
#include "metadata/metadata/format_internal.h"

static bool check_group(const vz_json *document, vz_error *err)
{
    int64_t format;
    const vz_json *value = vz_json_get(document, "zarr_format");
    if (!value)
        return vz_fail(err, VZ_CORRUPT, ".zgroup: \"zarr_format\" is missing");
    if (!vz_json_get_int64(value, &format))
        return vz_fail(err, VZ_CORRUPT, ".zgroup: \"zarr_format\" is %s, expected 2", vz_json_kind_name(value));
    return format == 2 || vz_fail(err, VZ_UNSUPPORTED, ".zgroup: zarr_format %lld", (long long)format);
}

static bool write_group(vz_json *document, vz_error *err)
{
    return vz_json_get(document, "zarr_format") || vz_json_set(document, "zarr_format", vz_json_int64(2, err), err);
}

const vz_zarr_format vz_zarr_format_v2 = {
    .format = 2,
    .array = ".zarray",
    .group = ".zgroup",
    .attributes = ".zattrs",
    .consolidated = ".zmetadata",
    .fill_value = "fill_value",
    .default_codec = "{\"id\":\"blosc\",\"cname\":\"lz4\",\"clevel\":5,\"shuffle\":1,\"blocksize\":0}",
    .load = vz_meta_parse_v2,
    .outline = vz_meta_outline_v2,
    .write = vz_meta_print_v2,
    .check_group = check_group,
    .write_group = write_group,
    .readable = vz_meta_readable_v2,
};
