/* store_mark.c - the default compressor: chosen by option when a store is made, told by its mark from then on. */
#include "dialects/store_mark.h"

#include "dialects/hdmf.h"

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

#define BLOSC 1 /* rows of the table */
#define ZLIB  3
static const char zstd_of_v3[] = "{\"id\":\"zstd\",\"level\":0}";
static const char gzip_of_v3[] = "{\"id\":\"gzip\",\"level\":4}"; /* the same compression; zlib is no codec of v3 */

static vz_json *parsed(const char *configuration, vz_error *err)
{
    return vz_json_parse(configuration, strlen(configuration), err);
}

static vz_json *configuration_of(const char *name, int format, vz_error *err)
{
    for (size_t i = 1; i < sizeof codecs / sizeof *codecs; i++)
        if (strcmp(codecs[i].name, name) == 0)
            return parsed(i == ZLIB && format == 3 ? gzip_of_v3 : codecs[i].configuration, err);
    vz_fail(err, VZ_INVALID, "no default compressor is called \"%s\"", name);
    return NULL;
}

static bool annotate(vz_node *root, const char *key, vz_json *take, vz_error *err)
{
    return take && vz_json_set(root->annotation, key, take, err);
}

bool vz_store_mark(vz_hierarchy *hierarchy, vz_error *err)
{
    vz_node *root = vz_hierarchy_root(hierarchy);
    const char *compress = vz_hierarchy_options(hierarchy)->compress;
    const int format = vz_hierarchy_format(hierarchy);
    const bool usual = strcmp(compress, "auto") == 0 || (format == 2 && strcmp(compress, codecs[BLOSC].name) == 0);
    return annotate(root, VZ_ANNOTATION_MARK, vz_json_int64(MARK_VERSION, err), err) &&
           (usual || annotate(root, "dc", configuration_of(compress, format, err), err)) &&
           vz_hdmf_mark(hierarchy, err) && vz_node_annotated(root, err) && vz_hierarchy_flush(hierarchy, false, err);
}

const vz_json *vz_store_default_codec(vz_hierarchy *hierarchy)
{
    static vz_json *standard[2]; /* one constant document for each format, for the life of the process */
    const bool v3 = vz_hierarchy_format(hierarchy) == 3;
    const vz_json *codec = vz_json_get(vz_hierarchy_root(hierarchy)->annotation, "dc");
    if (!codec) {
        if (!standard[v3])
            standard[v3] = parsed(v3 ? zstd_of_v3 : codecs[BLOSC].configuration, NULL);
        codec = standard[v3];
    }
    return codec && vz_json_kind_of(codec) == VZ_JSON_OBJECT ? codec : NULL;
}
