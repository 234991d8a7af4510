/* default_compressor.c - the compressor of datasets without a filter: chosen by option when a store
 * is made and marked, and by its mark later. */
#include "hdf5/dialects/default_compressor.h"

#include "hdf5/dialects/hdmf_internal.h"
#include "hierarchy/writeback/writeback.h"

#include <string.h>

#define MARK_VERSION 1

/* The values of the option `compress` and their configurations. */
static const struct {
    const char *name, *configuration;
} codecs[] = {
    {"auto", NULL}, /* what zarr-python's writers of the format use */
    {"blosc", "{\"id\":\"blosc\",\"cname\":\"lz4\",\"clevel\":5,\"shuffle\":1,\"blocksize\":0}"},
    {"zstd", "{\"id\":\"zstd\",\"level\":3}"},
    {"zlib", "{\"id\":\"zlib\",\"level\":4}"},
    {"none", "null"},
};

static vz_json *parsed(const char *configuration, vz_error *err)
{
    return vz_json_parse(configuration, strlen(configuration), err);
}

/* The Zarr format may have another codec of this compression. */
static bool use_format_codec(vz_json *codec, const vz_zarr_format *zarr_format, vz_error *err)
{
    const char *id = zarr_format->codec_id ? vz_json_get_string(vz_json_get(codec, "id"), NULL) : NULL;
    return !id || vz_json_set_text(codec, "id", zarr_format->codec_id(id), err);
}

vz_json *vz_dialect_codec_called(const char *name, const vz_zarr_format *zarr_format, vz_error *err)
{
    for (size_t i = 1; i < sizeof codecs / sizeof *codecs; i++) {
        if (strcmp(codecs[i].name, name) != 0)
            continue;
        vz_json *codec = parsed(codecs[i].configuration, err);
        if (codec && use_format_codec(codec, zarr_format, err))
            return codec;
        vz_json_free(codec);
        return NULL;
    }
    vz_fail(err, VZ_INVALID, "no default compressor is called \"%s\"", name);
    return NULL;
}

/* Is it the default codec of the Zarr format? */
static bool is_default_codec(const char *name, const vz_zarr_format *zarr_format)
{
    for (size_t i = 1; i < sizeof codecs / sizeof *codecs; i++)
        if (strcmp(codecs[i].name, name) == 0)
            return strcmp(codecs[i].configuration, zarr_format->default_codec) == 0;
    return false;
}

static bool annotate(vz_node *root, const char *key, vz_json *take, vz_error *err)
{
    return take && vz_json_set(root->annotation, key, take, err);
}

bool vz_dialect_mark_store(vz_hierarchy *hierarchy, vz_error *err)
{
    vz_node *root = vz_hierarchy_root(hierarchy);
    const char *compress = vz_hierarchy_options(hierarchy)->compress;
    const vz_zarr_format *zarr_format = vz_hierarchy_zarr_format(hierarchy);
    const bool is_default = strcmp(compress, "auto") == 0 || is_default_codec(compress, zarr_format);
    return annotate(root, VZ_ANNOTATION_MARK, vz_json_int64(MARK_VERSION, err), err) &&
           (is_default || annotate(root, "dc", vz_dialect_codec_called(compress, zarr_format, err), err)) &&
           vz_hdmf_mark(hierarchy, err) && vz_node_annotated(root, err) && vz_flush_store(hierarchy, false, err);
}

static const vz_json *standard_codec(const vz_zarr_format *zarr_format)
{
    static vz_json *standard[VZ_ZARR_FORMATS]; /* one constant document each, for the life of the
                                                * process */
    size_t i = 0;
    while (vz_zarr_formats[i] != zarr_format)
        i++;
    if (!standard[i])
        standard[i] = parsed(zarr_format->default_codec, NULL);
    return standard[i];
}

const vz_json *vz_dialect_default_codec(vz_hierarchy *hierarchy)
{
    const vz_json *codec = vz_json_get(vz_hierarchy_root(hierarchy)->annotation, "dc");
    if (!codec)
        codec = standard_codec(vz_hierarchy_zarr_format(hierarchy));
    return codec && vz_json_kind_of(codec) == VZ_JSON_OBJECT ? codec : NULL;
}
