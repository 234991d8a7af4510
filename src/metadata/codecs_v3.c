/* codecs_v3.c - reading v3's list of codecs: array to array, one to bytes, bytes to bytes; shards within. */
#include "metadata/codecs_v3.h"
#include <stdio.h>
#include <stdlib.h>

#define NUMCODECS "numcodecs."
#define TRANSPOSE "transpose"

/* ---- one chain ---- */

typedef struct chain_state {
    vz_array_meta *meta;
    vz_json **codecs; /* where the next one goes, in v2's form, in encoding order; made when needed */
    bool big_endian;
    bool has_bytes;  /* the codec that makes bytes of the array was met */
    bool has_filter; /* a numcodecs filter stands before it */
    unsigned depth;  /* of shards */
} chain_state;

static bool parse_chain(chain_state *s, const vz_json *list, vz_error *err);

static bool wrong_place(const char *name, vz_error *err)
{
    return vz_fail(err, VZ_CORRUPT, "codecs: \"%.100s\" is out of place", name);
}

/* Makes what stood at place order[i] stand at place i. */
static bool reorder(uint8_t *axes, unsigned count, const uint64_t *order, vz_error *err)
{
    uint8_t before[VZ_MAX_RANK + 1];
    bool seen[VZ_MAX_RANK + 1] = {false};
    memcpy(before, axes, count);
    for (unsigned i = 0; i < count; i++) {
        if (order[i] >= count || seen[order[i]])
            return vz_fail(err, VZ_CORRUPT, "codecs: \"order\" of transpose is no permutation");
        seen[order[i]] = true;
        axes[i] = before[order[i]];
    }
    return true;
}

/* "C", "F" or a permutation of `count` axes. */
static bool parse_order(const vz_json *configuration, uint8_t *axes, unsigned count, vz_error *err)
{
    uint64_t order[VZ_MAX_RANK + 1];
    const vz_json *list = vz_json_get(configuration, "order");
    if (vz_json_is(list, "C"))
        return true;
    for (unsigned d = 0; d < count; d++)
        order[d] = count - 1 - d;
    return (vz_json_is(list, "F") || vz_v3_sizes(list, "order", count, 0, order, err)) &&
           reorder(axes, count, order, err);
}

static void set_axes(vz_array_meta *meta, const uint8_t *axes)
{
    bool c = true, f = true;
    for (unsigned i = 0; i < meta->rank; i++) {
        c = c && axes[i] == i;
        f = f && axes[i] == meta->rank - 1 - i;
    }
    meta->order_f = f && !c;
    meta->permuted = !f && !c;
    memset(meta->axes, 0, sizeof meta->axes);
    if (meta->permuted)
        memcpy(meta->axes, axes, meta->rank);
}

static bool add_transpose(chain_state *s, const vz_json *configuration, vz_error *err)
{
    uint8_t axes[VZ_MAX_RANK];
    if (s->has_bytes || s->has_filter)
        return wrong_place(TRANSPOSE, err);
    for (unsigned i = 0; i < s->meta->rank; i++)
        axes[i] = (uint8_t)vz_meta_axis(s->meta, i);
    if (!parse_order(configuration, axes, s->meta->rank, err))
        return false;
    set_axes(s->meta, axes);
    return true;
}

/* {"id": id, ...configuration} */
static vz_json *as_v2(const char *id, const vz_json *configuration, vz_error *err)
{
    vz_json *codec = vz_json_object(err);
    const char *key;
    vz_json *value;
    bool ok = codec && vz_json_set(codec, "id", vz_json_text(id, err), err);
    for (size_t i = 0; ok && vz_json_member(configuration, i, &key, &value); i++)
        ok = strcmp(key, "id") == 0 || vz_json_set(codec, key, vz_json_copy(value, err), err);
    if (ok)
        return codec;
    vz_json_free(codec);
    return NULL;
}

/* v3's blosc says shuffle in words and knows the size of elements, which the chain knows by itself. */
static bool respell_blosc(vz_json *codec, vz_error *err)
{
    static const char *const words[] = {"noshuffle", "shuffle", "bitshuffle"};
    const vz_json *shuffle = vz_json_get(codec, "shuffle");
    vz_json_remove(codec, "typesize");
    for (int i = 0; shuffle && i < 3; i++)
        if (vz_json_is(shuffle, words[i]))
            return vz_json_set(codec, "shuffle", vz_json_int64(i, err), err);
    return true;
}

/* The default of v3's zstd is said by leaving it out, as v2's does not know the word. */
static bool respell_zstd(vz_json *codec, vz_error *err)
{
    bool checksum;
    (void)err;
    if (vz_json_get_bool(vz_json_get(codec, "checksum"), &checksum) && !checksum)
        vz_json_remove(codec, "checksum");
    return true;
}

/* The order of bytes is that of "bytes" behind it, whatever numpy's spelling says of the array in between. */
static bool respell_filter(vz_json *codec, vz_error *err)
{
    static const char *const keys[] = {"dtype", "astype", "encode_dtype", "decode_dtype"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *type = vz_json_get_string(vz_json_get(codec, keys[i]), NULL);
        char little[16];
        if (!type || *type != '>')
            continue;
        snprintf(little, sizeof little, "<%s", type + 1);
        if (!vz_json_set(codec, keys[i], vz_json_text(little, err), err))
            return false;
    }
    return true;
}

/* Appends a codec to a list in v2's form. */
static bool append_named(vz_json **list, const char *id, const vz_json *configuration,
                         bool (*respell)(vz_json *codec, vz_error *err), vz_error *err)
{
    if (!*list && !(*list = vz_json_array(err)))
        return false;
    vz_json *codec = as_v2(id, configuration, err);
    if (codec && (!respell || respell(codec, err)))
        return vz_json_append(*list, codec, err);
    vz_json_free(codec);
    return false;
}

static bool add_bytes(chain_state *s, const vz_json *configuration, vz_error *err)
{
    const vz_json *endian = vz_json_get(configuration, "endian");
    if (s->has_bytes)
        return wrong_place("bytes", err);
    s->has_bytes = true;
    s->big_endian = vz_json_is(endian, "big");
    if (endian && vz_json_kind_of(endian) != VZ_JSON_NULL && !s->big_endian && !vz_json_is(endian, "little"))
        return vz_fail(err, VZ_CORRUPT, "codecs: \"endian\" is neither \"little\" nor \"big\"");
    if (!s->has_filter)
        return true;
    s->big_endian = false; /* the filters work on little-endian numbers */
    return append_named(s->codecs, VZ_V3_BYTES, configuration, NULL, err);
}

/* Codecs of the chain as v3 names them; what is not here keeps its name. */
typedef struct name_row {
    const char *name;
    bool makes_bytes; /* of an array */
    bool (*respell)(vz_json *codec, vz_error *err);
} name_row;

static const name_row rows[] = {
    {"vlen-utf8", true, NULL},       {"vlen-bytes", true, NULL},    {"vlen-array", true, NULL},
    {"blosc", false, respell_blosc}, {"zstd", false, respell_zstd},
};

static const name_row *find_row(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

/* numcodecs' filters of numbers work on the array; its other codecs, on bytes. */
bool vz_v3_is_filter(const char *id)
{
    static const char *const filters[] = {"delta", "fixedscaleoffset", "astype", "quantize", "bitround", "packbits"};
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++)
        if (strcmp(filters[i], id) == 0)
            return true;
    return false;
}

static bool add_numcodecs(chain_state *s, const char *id, const vz_json *configuration, vz_error *err)
{
    if (vz_v3_is_filter(id) == s->has_bytes)
        return wrong_place(id, err);
    s->has_filter = s->has_filter || !s->has_bytes;
    return append_named(s->codecs, id, configuration, s->has_bytes ? NULL : respell_filter, err);
}

static bool add_other(chain_state *s, const char *name, const vz_json *configuration, vz_error *err)
{
    const name_row *row = find_row(name);
    const bool makes_bytes = row && row->makes_bytes;
    if (makes_bytes && (s->has_bytes || s->has_filter))
        return wrong_place(name, err);
    s->has_bytes = s->has_bytes || makes_bytes;
    return append_named(s->codecs, name, configuration, row ? row->respell : NULL, err);
}

/* ---- shards ---- */

static bool is_bytes(const char *name)
{
    return strcmp(name, VZ_V3_BYTES) == 0 || strcmp(name, "endian") == 0;
}

/* The index is an array of integers, with an axis more for offset and size; transposes come before what makes bytes of
 * it. */
static bool add_index_codec(vz_shard_level *level, unsigned rank, const vz_json *codec, bool *has_bytes, vz_error *err)
{
    const char *name = vz_v3_name(codec);
    const vz_json *configuration = vz_v3_configuration(codec);
    if (!name)
        return vz_fail(err, VZ_CORRUPT, "codecs: a codec without a name");
    if (!*has_bytes && strcmp(name, TRANSPOSE) == 0)
        return parse_order(configuration, level->index_axes, rank + 1, err);
    if (is_bytes(name) != !*has_bytes)
        return vz_fail(err, VZ_UNSUPPORTED, "codecs: \"%.100s\" at that place of \"index_codecs\"", name);
    if (!*has_bytes) {
        *has_bytes = true;
        level->index_big_endian = vz_json_is(vz_json_get(configuration, "endian"), "big");
        return true;
    }
    const bool prefixed = strncmp(name, NUMCODECS, strlen(NUMCODECS)) == 0;
    const name_row *row = find_row(name);
    return append_named(&level->index_codecs, name + (prefixed ? strlen(NUMCODECS) : 0), configuration,
                        row ? row->respell : NULL, err);
}

static bool parse_index_codecs(vz_shard_level *level, unsigned rank, const vz_json *list, vz_error *err)
{
    bool has_bytes = false;
    for (unsigned i = 0; i <= rank; i++)
        level->index_axes[i] = (uint8_t)i;
    for (size_t i = 0; i < vz_json_length(list); i++)
        if (!add_index_codec(level, rank, vz_json_at(list, i), &has_bytes, err))
            return false;
    return has_bytes || vz_fail(err, VZ_CORRUPT, "codecs: \"index_codecs\" without \"bytes\"");
}

/* The shape of the chunks is said in the order of dimensions that transposes before the shards have made. */
static bool parse_inner_shape(vz_array_meta *meta, vz_shard_level *level, const vz_json *list, vz_error *err)
{
    uint64_t sizes[VZ_MAX_RANK];
    if (!vz_v3_sizes(list, "chunk_shape", meta->rank, 1, sizes, err))
        return false;
    memcpy(level->shape, meta->chunks, sizeof level->shape);
    for (unsigned i = 0; i < meta->rank; i++) {
        const unsigned d = vz_meta_axis(meta, i);
        level->axes[i] = (uint8_t)d;
        meta->chunks[d] = sizes[i];
        if (level->shape[d] % sizes[i] != 0)
            return vz_fail(err, VZ_CORRUPT, "codecs: a shard is no whole number of chunks along dimension %u", d);
    }
    return true;
}

static bool parse_level(vz_array_meta *meta, const vz_json *configuration, vz_error *err)
{
    const vz_json *location = vz_json_get(configuration, "index_location");
    vz_shard_level *shards = realloc(meta->shards, (meta->shard_levels + 1) * sizeof *shards);
    if (!shards)
        return vz_fail_memory(err);
    meta->shards = shards;
    vz_shard_level *level = &shards[meta->shard_levels++];
    *level = (vz_shard_level){.index_first = vz_json_is(location, "start")};
    if (location && !level->index_first && !vz_json_is(location, "end"))
        return vz_fail(err, VZ_CORRUPT, "codecs: \"index_location\" is neither \"start\" nor \"end\"");
    return parse_index_codecs(level, meta->rank, vz_json_get(configuration, "index_codecs"), err) &&
           parse_inner_shape(meta, level, vz_json_get(configuration, "chunk_shape"), err);
}

/* What follows in the list works on the shard as a whole. */
static bool add_shards(chain_state *s, const vz_json *configuration, vz_error *err)
{
    const unsigned level = s->depth;
    if (s->has_bytes)
        return wrong_place("sharding_indexed", err);
    if (s->has_filter)
        return vz_fail(err, VZ_UNSUPPORTED, "codecs: filters of numbers before \"sharding_indexed\"");
    if (s->depth >= VZ_SHARD_LEVELS)
        return vz_fail(err, VZ_LIMIT, "codecs: shards nested deeper than %d", VZ_SHARD_LEVELS);
    s->depth++;
    if (!parse_level(s->meta, configuration, err) || !parse_chain(s, vz_json_get(configuration, "codecs"), err))
        return false;
    s->has_bytes = true;
    s->codecs = &s->meta->shards[level].behind;
    return true;
}

/* ---- the list ---- */

static bool add_codec(chain_state *s, const vz_json *codec, vz_error *err)
{
    const char *name = vz_v3_name(codec);
    const vz_json *configuration = vz_v3_configuration(codec);
    if (!name)
        return vz_fail(err, VZ_CORRUPT, "codecs: a codec without a name");
    if (strcmp(name, "sharding_indexed") == 0)
        return add_shards(s, configuration, err);
    if (strcmp(name, TRANSPOSE) == 0)
        return add_transpose(s, configuration, err);
    if (is_bytes(name))
        return add_bytes(s, configuration, err);
    if (strncmp(name, NUMCODECS, strlen(NUMCODECS)) == 0)
        return add_numcodecs(s, name + strlen(NUMCODECS), configuration, err);
    return add_other(s, name, configuration, err);
}

static bool parse_chain(chain_state *s, const vz_json *list, vz_error *err)
{
    if (vz_json_kind_of(list) != VZ_JSON_ARRAY || vz_json_length(list) == 0)
        return vz_fail(err, VZ_CORRUPT, "codecs: is %s, not a list of codecs",
                       list ? vz_json_kind_name(list) : "missing");
    const unsigned depth = s->depth;
    for (size_t i = 0; i < vz_json_length(list); i++)
        if (!add_codec(s, vz_json_at(list, i), err))
            return false;
    return s->has_bytes || s->depth != depth || vz_json_length(*s->codecs) > 0 ||
           vz_fail(err, VZ_CORRUPT, "codecs: none of them makes bytes of an array");
}

/* The last codec stands as the compressor when it is one, as v2 has it. */
static bool is_compressor(const char *id)
{
    static const char *const compressors[] = {"blosc", "zstd", "gzip", "zlib", "bz2", "lz4", "lzma"};
    for (size_t i = 0; id && i < sizeof compressors / sizeof *compressors; i++)
        if (strcmp(compressors[i], id) == 0)
            return true;
    return false;
}

static bool split(vz_array_meta *meta, const vz_json *codecs, vz_error *err)
{
    const size_t count = vz_json_length(codecs);
    const vz_json *last = count ? vz_json_at(codecs, count - 1) : NULL;
    const bool compressed = last && is_compressor(vz_json_get_string(vz_json_get(last, "id"), NULL));
    if (compressed && !(meta->compressor = vz_json_copy(last, err)))
        return false;
    const size_t filters = count - compressed;
    if (filters && !(meta->filters = vz_json_array(err)))
        return false;
    for (size_t i = 0; i < filters; i++)
        if (!vz_json_append(meta->filters, vz_json_copy(vz_json_at(codecs, i), err), err))
            return false;
    return true;
}

bool vz_codecs_parse_v3(vz_array_meta *meta, const vz_json *list, bool *big_endian, vz_error *err)
{
    vz_json *codecs = NULL;
    chain_state s = {.meta = meta, .codecs = &codecs};
    /* GDAL 3.10 leaves the list out of arrays without compressor; in its others, too, bytes are understood. */
    const bool ok = (!list || parse_chain(&s, list, err)) && split(meta, codecs, err);
    *big_endian = s.big_endian;
    vz_json_free(codecs);
    return ok;
}
