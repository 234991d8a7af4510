/* codec_names_v3.c - the codecs of a chain as v3 names them, both ways. There is one row for each
 * that v3 names in a way of its own; all others are numcodecs', under its prefix. */
#include "metadata/metadata/v3_internal.h"
#include <stdio.h>
#include <string.h>

#define NAME_SIZE 80

/* ---- blosc ---- */

static const char *const shuffles[] = {"noshuffle", "shuffle", "bitshuffle"};
#define SHUFFLES (int)(sizeof shuffles / sizeof *shuffles)

/* v3's blosc says shuffle in words and knows the size of elements, which the chain knows by
 * itself. */
static bool read_blosc(vz_json *configuration, vz_error *err)
{
    const vz_json *shuffle = vz_json_get(configuration, "shuffle");
    vz_json_remove(configuration, "typesize");
    for (int i = 0; shuffle && i < SHUFFLES; i++)
        if (vz_json_is(shuffle, shuffles[i]))
            return vz_json_set(configuration, "shuffle", vz_json_int64(i, err), err);
    return true;
}

static vz_json *print_blosc(const vz_json *own, const vz_dtype *dtype, vz_error *err)
{
    const char *cname = vz_json_get_string(vz_json_get(own, "cname"), NULL);
    int64_t level = 5, shuffle = 1, blocksize = 0;
    vz_json_get_int64(vz_json_get(own, "clevel"), &level);
    vz_json_get_int64(vz_json_get(own, "blocksize"), &blocksize);
    if (!vz_json_get_int64(vz_json_get(own, "shuffle"), &shuffle) || shuffle < 0 || shuffle >= SHUFFLES)
        shuffle = dtype->size == 1 ? 2 : 1;
    const uint64_t size = dtype->kind == VZ_DTYPE_OBJECT || dtype->size > 255 ? 1 : dtype->size;
    vz_json *configuration = vz_json_object(err);
    if (configuration && vz_json_set(configuration, "typesize", vz_json_uint64(size ? size : 1, err), err) &&
        vz_json_set_text(configuration, "cname", cname ? cname : "lz4", err) &&
        vz_json_set(configuration, "clevel", vz_json_int64(level, err), err) &&
        vz_json_set_text(configuration, "shuffle", shuffles[shuffle], err) &&
        vz_json_set(configuration, "blocksize", vz_json_int64(blocksize, err), err))
        return configuration;
    vz_json_free(configuration);
    return NULL;
}

/* ---- zstd, gzip ---- */

/* The default of v3's zstd is said by leaving it out, as numcodecs' does not know the word. */
static bool read_zstd(vz_json *configuration, vz_error *err)
{
    bool checksum;
    (void)err;
    if (vz_json_get_bool(vz_json_get(configuration, "checksum"), &checksum) && !checksum)
        vz_json_remove(configuration, "checksum");
    return true;
}

static vz_json *print_zstd(const vz_json *own, const vz_dtype *dtype, vz_error *err)
{
    (void)dtype;
    int64_t level = 0;
    bool checksum = false;
    vz_json_get_int64(vz_json_get(own, "level"), &level);
    vz_json_get_bool(vz_json_get(own, "checksum"), &checksum);
    vz_json *configuration = vz_v3_object_of("level", vz_json_int64(level, err), err);
    if (configuration && vz_json_set(configuration, "checksum", vz_json_bool(checksum, err), err))
        return configuration;
    vz_json_free(configuration);
    return NULL;
}

static vz_json *print_gzip(const vz_json *own, const vz_dtype *dtype, vz_error *err)
{
    int64_t level = 5;
    (void)dtype;
    vz_json_get_int64(vz_json_get(own, "level"), &level);
    return vz_v3_object_of("level", vz_json_int64(level, err), err);
}

/* ---- the table ---- */

typedef struct name_row {
    const char *name; /* v3's, and numcodecs' id */
    bool makes_bytes; /* of an array */
    /* Makes numcodecs' configuration of v3's. NULL: they are the same. */
    bool (*read)(vz_json *configuration, vz_error *err);
    /* v3's configuration of numcodecs'. NULL: it has none. */
    vz_json *(*print)(const vz_json *own, const vz_dtype *dtype, vz_error *err);
} name_row;

static const name_row rows[] = {
    {.name = "blosc", .read = read_blosc, .print = print_blosc},
    {.name = "zstd", .read = read_zstd, .print = print_zstd},
    {.name = "gzip", .print = print_gzip},
    {.name = "crc32c"},
    {.name = "vlen-utf8", .makes_bytes = true},
    {.name = "vlen-bytes", .makes_bytes = true},
    {.name = "vlen-array", .makes_bytes = true},
};

static const name_row *find_row(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

bool vz_v3_makes_bytes(const char *name)
{
    const name_row *row = find_row(name);
    return row && row->makes_bytes;
}

/* ---- reading ---- */

static bool append(vz_codecs *codecs, const char *id, const vz_json *configuration,
                   bool (*read)(vz_json *configuration, vz_error *err), vz_error *err)
{
    vz_json *own = configuration ? vz_json_copy(configuration, err) : vz_json_object(err);
    if (!own)
        return false;
    vz_json_remove(own, "id"); /* numcodecs' configurations do not have it beside the codec's own */
    if (!read || read(own, err))
        return vz_codecs_append(codecs, id, own, err);
    vz_json_free(own);
    return false;
}

bool vz_v3_codec_parse(vz_codecs *codecs, const char *name, const vz_json *configuration, vz_error *err)
{
    if (strncmp(name, VZ_V3_NUMCODECS, strlen(VZ_V3_NUMCODECS)) == 0)
        return append(codecs, name + strlen(VZ_V3_NUMCODECS), configuration, NULL, err);
    const name_row *row = find_row(name);
    return append(codecs, name, configuration, row ? row->read : NULL, err);
}

/* ---- printing ---- */

static vz_json *print_numcodecs(const vz_codecs_spec *spec, vz_error *err)
{
    char name[NAME_SIZE];
    snprintf(name, sizeof name, VZ_V3_NUMCODECS "%.60s", spec->id);
    return vz_v3_extension(name, vz_json_copy(spec->configuration, err), true, err);
}

vz_json *vz_v3_codec_print(const vz_codecs_spec *spec, const vz_dtype *dtype, vz_error *err)
{
    const name_row *row = find_row(spec->id);
    const vz_v3_filter *filter = vz_v3_find_filter(spec->id);
    if (filter && !filter->numcodecs)
        return vz_v3_filter_print(spec, spec->id, err);
    if (strcmp(spec->id, VZ_V3_ZFPY) == 0)
        return vz_v3_filter_print(spec, VZ_V3_NUMCODECS VZ_V3_ZFPY, err);
    if (strcmp(spec->id, VZ_V3_PACKED_BITS) == 0)
        return vz_v3_packbits_print(spec, err);
    if (!row)
        return print_numcodecs(spec, err);
    vz_json *configuration = row->print ? row->print(spec->configuration, dtype, err) : vz_json_object(err);
    if (!configuration)
        return NULL;
    if (row->print || row->makes_bytes)
        return vz_v3_extension(row->name, configuration, true, err);
    vz_json_free(configuration);
    return vz_v3_extension(row->name, NULL, false, err);
}
