/* codecs_v3.c - reading v3's list of codecs: array to array, one to bytes, bytes to bytes; shards
 * within. */
#include "metadata/metadata/v3_internal.h"

/* ---- one chain ---- */

typedef struct chain_state {
    vz_meta *meta;
    vz_codecs *codecs; /* where the next one goes */
    const vz_json *data_type;
    vz_v3_codecs_facts *facts;
    bool has_bytes;             /* the codec that makes bytes of the array was met */
    bool has_filter;            /* a filter of numbers stands before it */
    bool has_ordered;           /* one to which the order of numbers matters */
    char type[VZ_V3_TYPE_SIZE]; /* of the numbers behind the last filter */
    unsigned depth;             /* of shards */
} chain_state;

static bool parse_chain(chain_state *s, const vz_json *list, vz_error *err);

static bool wrong_place(const char *name, vz_error *err)
{
    return vz_fail(err, VZ_CORRUPT, "codecs: \"%.100s\" is out of place", name);
}

static bool add_transpose(chain_state *s, const vz_json *configuration, vz_error *err)
{
    if (s->has_bytes || s->has_ordered)
        return wrong_place(VZ_V3_TRANSPOSE, err);
    return vz_v3_transpose_parse(configuration, s->meta->axes, s->meta->rank, err);
}

static bool add_bytes(chain_state *s, const vz_json *configuration, vz_error *err)
{
    const vz_json *endian = vz_json_get(configuration, "endian");
    if (s->has_bytes)
        return wrong_place("bytes", err);
    s->has_bytes = true;
    s->facts->big_endian = vz_json_is(endian, "big");
    if (endian && vz_json_kind_of(endian) != VZ_JSON_NULL && !s->facts->big_endian && !vz_json_is(endian, "little"))
        return vz_fail(err, VZ_CORRUPT, "codecs: \"endian\" is neither \"little\" nor \"big\"");
    if (!s->has_filter)
        return true;
    s->facts->big_endian = false; /* the filters work on little-endian numbers */
    return vz_v3_codec_parse(s->codecs, VZ_V3_BYTES, configuration, err);
}

static bool add_filter(chain_state *s, const vz_v3_filter *filter, const vz_json *configuration, vz_error *err)
{
    if (s->has_bytes)
        return wrong_place(filter->id, err);
    s->has_filter = true;
    s->has_ordered = s->has_ordered || !filter->elementwise;
    return vz_v3_filter_parse(s->codecs, filter, configuration, s->type, err);
}

static bool add_numcodecs(chain_state *s, const char *name, const vz_json *configuration, vz_error *err)
{
    const vz_v3_filter *filter = vz_v3_find_filter(name + strlen(VZ_V3_NUMCODECS));
    if (filter && filter->numcodecs)
        return add_filter(s, filter, configuration, err);
    if (!s->has_bytes && !filter && strcmp(name, VZ_V3_NUMCODECS VZ_V3_ZFPY) == 0) {
        s->has_bytes = true;
        s->facts->big_endian = false;
        return vz_v3_zfpy_parse(s->codecs, configuration, s->type, err);
    }
    if (!s->has_bytes || filter)
        return vz_fail(err, VZ_UNSUPPORTED, "codecs: \"%.100s\", which makes bytes of the array, is not known", name);
    return vz_v3_codec_parse(s->codecs, name, configuration, err);
}

static bool add_packbits(chain_state *s, const vz_json *configuration, vz_error *err)
{
    if (s->has_bytes)
        return wrong_place("packbits", err);
    s->has_bytes = true;
    s->facts->big_endian = false;
    return vz_v3_packbits_parse(s->codecs, configuration, s->data_type, s->has_filter ? s->type : NULL, err);
}

static bool add_other(chain_state *s, const char *name, const vz_json *configuration, vz_error *err)
{
    if (strcmp(name, "packbits") == 0)
        return add_packbits(s, configuration, err);
    const bool makes_bytes = vz_v3_makes_bytes(name);
    const vz_v3_filter *filter = vz_v3_find_filter(name);
    if (filter && !filter->numcodecs)
        return add_filter(s, filter, configuration, err);
    if (makes_bytes && (s->has_bytes || s->has_filter))
        return wrong_place(name, err);
    s->has_bytes = s->has_bytes || makes_bytes;
    return vz_v3_codec_parse(s->codecs, name, configuration, err);
}

/* Later codecs of the list work on the shard as a whole. */
static bool add_shards(chain_state *s, const vz_json *configuration, vz_error *err)
{
    const unsigned level = s->depth;
    if (s->has_bytes)
        return wrong_place(VZ_V3_SHARDS, err);
    if (s->has_ordered)
        return vz_fail(err, VZ_UNSUPPORTED,
                       "codecs: \"numcodecs.delta\" or \"numcodecs.packbits\" before "
                       "\"sharding_indexed\"");
    if (s->depth >= VZ_SHARD_LEVELS)
        return vz_fail(err, VZ_LIMIT, "codecs: shards nested deeper than %d", VZ_SHARD_LEVELS);
    s->depth++;
    s->facts->filters_shards = s->facts->filters_shards || s->has_filter;
    if (!vz_v3_shards_parse(s->meta, configuration, err) || !parse_chain(s, vz_json_get(configuration, "codecs"), err))
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
    if (strcmp(name, VZ_V3_SHARDS) == 0)
        return add_shards(s, configuration, err);
    if (strcmp(name, VZ_V3_TRANSPOSE) == 0)
        return add_transpose(s, configuration, err);
    if (vz_v3_is_bytes(name))
        return add_bytes(s, configuration, err);
    if (strncmp(name, VZ_V3_NUMCODECS, strlen(VZ_V3_NUMCODECS)) == 0)
        return add_numcodecs(s, name, configuration, err);
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
    return s->has_bytes || s->depth != depth || s->codecs->count > 0 ||
           vz_fail(err, VZ_CORRUPT, "codecs: none of them makes bytes of an array");
}

bool vz_meta_codecs_parse_v3(vz_meta *meta, const vz_json *document, vz_v3_codecs_facts *facts, vz_error *err)
{
    const vz_json *list = vz_json_get(document, "codecs");
    chain_state s = {
        .meta = meta, .codecs = &meta->codecs, .facts = facts, .data_type = vz_json_get(document, "data_type")};
    *facts = (vz_v3_codecs_facts){0};
    vz_meta_set_order(meta, false);
    vz_v3_filter_begin(vz_json_get(document, "data_type"), s.type);
    /* GDAL 3.10 leaves the list out of arrays without compressor; in its others, too, bytes are
     * understood. */
    return !list || parse_chain(&s, list, err);
}
