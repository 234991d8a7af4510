/* store_mark.c - the default compressor: chosen by option when a store is made, told by its mark from then on. */
#include "map/store_mark.h"

#include <string.h>

#define MARK_VERSION 1

/* The values of the option `compress` and their configurations. */
static const struct {
    const char *name, *configuration;
} codecs[] = {
    {"blosc", "{\"id\":\"blosc\",\"cname\":\"lz4\",\"clevel\":5,\"shuffle\":1,\"blocksize\":0}"},
    {"zstd", "{\"id\":\"zstd\",\"level\":3}"},
    {"zlib", "{\"id\":\"zlib\",\"level\":4}"},
    {"none", "null"},
};

static vz_json *configuration_of(const char *name, vz_error *err)
{
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++)
        if (strcmp(codecs[i].name, name) == 0)
            return vz_json_parse(codecs[i].configuration, strlen(codecs[i].configuration), err);
    vz_fail(err, VZ_INVALID, "no default compressor is called \"%s\"", name);
    return NULL;
}

static bool note(vz_node *root, const char *key, vz_json *take, vz_error *err)
{
    return take && vz_json_set(root->annotation, key, take, err);
}

bool vz_store_mark(vz_hierarchy *hierarchy, vz_error *err)
{
    vz_node *root = vz_hierarchy_root(hierarchy);
    const char *compress = vz_hierarchy_options(hierarchy)->compress;
    const bool usual = strcmp(compress, codecs[0].name) == 0;
    return note(root, "v", vz_json_int64(MARK_VERSION, err), err) &&
           (usual || note(root, "dc", configuration_of(compress, err), err)) && vz_node_annotated(root, err) &&
           vz_hierarchy_flush(hierarchy, false, err);
}

const vz_json *vz_store_default_codec(vz_hierarchy *hierarchy)
{
    static vz_json *standard; /* one constant document for the life of the process */
    const vz_json *codec = vz_json_get(vz_hierarchy_root(hierarchy)->annotation, "dc");
    if (!codec) {
        if (!standard)
            standard = configuration_of(codecs[0].name, NULL);
        codec = standard;
    }
    return codec && vz_json_kind_of(codec) == VZ_JSON_OBJECT ? codec : NULL;
}
