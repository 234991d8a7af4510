/* format_v3.c - Zarr format 3: one document for a node, with attributes and consolidated metadata
 * in it. */
#include "metadata/metadata/v3_internal.h"
#include "metadata/metadata/format_internal.h"

static vz_meta_document_kind says(const vz_json *document)
{
    const vz_json *type = vz_json_get(document, "node_type");
    return vz_json_is(type, "array") ? VZ_SAYS_ARRAY : vz_json_is(type, "group") ? VZ_SAYS_GROUP : VZ_SAYS_NEITHER;
}

/* h5zarr leaves it of a copy that it has not finished (docs/format.md). */
static bool is_unfinished_copy(const vz_json *document)
{
    return vz_json_is(vz_json_at(document, 0), "unfinished copy");
}

static bool check_group(const vz_json *document, vz_error *err)
{
    static const char *const known[] = {"zarr_format", "node_type", VZ_ATTRIBUTES, VZ_CONSOLIDATED};
    int64_t format = 0;
    if (is_unfinished_copy(document))
        return vz_fail(err, VZ_CORRUPT,
                       "an unfinished copy: the h5zarr cp or sync that makes it, run again, finishes it");
    if (says(document) != VZ_SAYS_GROUP)
        return vz_fail(err, VZ_CORRUPT, "zarr.json: \"node_type\" is not \"group\"");
    if (!vz_json_get_int64(vz_json_get(document, "zarr_format"), &format) || format != 3)
        return vz_fail(err, VZ_UNSUPPORTED, "zarr.json: zarr_format is not 3");
    return vz_v3_check_members(document, known, sizeof known / sizeof *known, err);
}

static bool write_group(vz_json *document, vz_error *err)
{
    return (vz_json_get(document, "zarr_format") || vz_json_set(document, "zarr_format", vz_json_int64(3, err), err)) &&
           (vz_json_get(document, "node_type") || vz_json_set_text(document, "node_type", "group", err));
}

const vz_zarr_format vz_zarr_format_v3 = {
    .format = 3,
    .array = "zarr.json",
    .group = "zarr.json",
    .dimension_names = "dimension_names",
    .default_codec = "{\"id\":\"zstd\",\"level\":0}",
    .little_records = true,
    .says = says,
    .load = vz_meta_parse_v3,
    .outline = vz_meta_outline_v3,
    .write = vz_meta_print_v3,
    .adapt = vz_meta_adapt_v3,
    .codec_id = vz_meta_codec_id_v3,
    .check_group = check_group,
    .write_group = write_group,
    .readable = vz_meta_readable_v3,
};
