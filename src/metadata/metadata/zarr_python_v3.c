/* zarr_python_v3.c - which nodes of format 3 zarr-python 3 can read (its 3.1, the oldest that is
 * met). */
#include "metadata/metadata/v3_internal.h"
#include "metadata/metadata/format_internal.h"

static bool is_among(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; name && i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}
#define AMONG(name, names) is_among(name, names, sizeof(names) / sizeof *(names))

static bool is_known_type(const vz_json *type)
{
    static const char *const plain[] = {
        "bool",   "int8",    "int16",   "int32",   "int64",     "uint8",      "uint16", "uint32",
        "uint64", "float16", "float32", "float64", "complex64", "complex128", "string", "variable_length_bytes"};
    static const char *const sized[] = {"fixed_length_utf32", "raw_bytes", "null_terminated_bytes"};
    static const char *const times[] = {"numpy.datetime64", "numpy.timedelta64"};
    int64_t length;
    if (vz_json_kind_of(type) == VZ_JSON_STRING)
        return AMONG(vz_v3_name(type), plain);
    const char *name = vz_v3_name(type);
    const vz_json *configuration = vz_v3_configuration(type);
    if (AMONG(name, sized))
        return vz_json_get_int64(vz_json_get(configuration, "length_bytes"), &length) && length > 0;
    return configuration && AMONG(name, times);
}

/* Fields are [name, type] pairs; a struct among them is too much. "struct", the newer name, is not
 * known at all. */
static bool is_known_structured(const vz_json *type)
{
    const vz_json *fields = vz_json_get(vz_v3_configuration(type), "fields");
    const char *name = vz_v3_name(type);
    bool known = name && strcmp(name, "structured") == 0 && vz_json_length(fields) > 0;
    for (size_t i = 0; known && i < vz_json_length(fields); i++) {
        const vz_json *field = vz_json_at(fields, i);
        const vz_json *of = vz_json_kind_of(field) == VZ_JSON_ARRAY ? vz_json_at(field, 1) : NULL;
        known = of && is_known_type(of) && !vz_json_is(of, "string") && !vz_json_is(of, "variable_length_bytes");
    }
    return known;
}

static bool are_known_codecs(const vz_json *list, unsigned depth);

static bool is_known_codec(const vz_json *codec, unsigned depth)
{
    static const char *const names[] = {"blosc",
                                        "bytes",
                                        "crc32c",
                                        "gzip",
                                        "zstd",
                                        "vlen-utf8",
                                        "vlen-bytes",
                                        "transpose",
                                        "numcodecs.bz2",
                                        "numcodecs.crc32",
                                        "numcodecs.crc32c",
                                        "numcodecs.lz4",
                                        "numcodecs.lzma",
                                        "numcodecs.adler32",
                                        "numcodecs.astype",
                                        "numcodecs.blosc",
                                        "numcodecs.delta",
                                        "numcodecs.fixedscaleoffset",
                                        "numcodecs.bitround",
                                        "numcodecs.gzip",
                                        "numcodecs.zlib",
                                        "numcodecs.jenkins_lookup3",
                                        "numcodecs.fletcher32",
                                        "numcodecs.zstd",
                                        "numcodecs.shuffle",
                                        "numcodecs.packbits",
                                        "numcodecs.quantize"};
    if (vz_json_kind_of(codec) != VZ_JSON_OBJECT) /* the short form, a name alone, is not known */
        return false;
    const char *name = vz_v3_name(codec);
    if (!name || strcmp(name, "sharding_indexed") != 0)
        return AMONG(name, names);
    const vz_json *inner = vz_v3_configuration(codec);
    return are_known_codecs(vz_json_get(inner, "codecs"), depth + 1) &&
           are_known_codecs(vz_json_get(inner, "index_codecs"), depth + 1);
}

static bool are_known_codecs(const vz_json *list, unsigned depth)
{
    bool known = depth <= VZ_SHARD_LEVELS && vz_json_length(list) > 0;
    for (size_t i = 0; known && i < vz_json_length(list); i++)
        known = is_known_codec(vz_json_at(list, i), depth);
    return known;
}

/* Its groups have no place for members that it does not know. */
static bool is_known_group(const vz_json *document)
{
    static const char *const members[] = {"zarr_format", "node_type", VZ_ATTRIBUTES, VZ_CONSOLIDATED};
    const char *key;
    vz_json *value;
    bool known = true;
    for (size_t i = 0; known && vz_json_member(document, i, &key, &value); i++)
        known = AMONG(key, members);
    return known;
}

bool vz_meta_readable_v3(const vz_json *document)
{
    if (vz_json_is(vz_json_get(document, "node_type"), "group"))
        return is_known_group(document);
    vz_meta *meta = vz_meta_parse_v3(document, NULL);
    const vz_json *type = vz_json_get(document, "data_type");
    const bool known = meta && !meta->edges && !meta->shard_edges &&
                       vz_json_kind_of(vz_json_get(document, "chunk_grid")) == VZ_JSON_OBJECT &&
                       vz_json_kind_of(vz_json_get(document, "chunk_key_encoding")) == VZ_JSON_OBJECT &&
                       (is_known_type(type) || is_known_structured(type)) &&
                       are_known_codecs(vz_json_get(document, "codecs"), 0);
    vz_meta_free(meta);
    return known;
}
