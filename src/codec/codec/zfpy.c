/* zfpy.c - numcodecs "zfpy": numbers of a chunk of one to four dimensions, compressed by libzfp. A
 * header before them has their type, their shape and the way of compression. */
#include "codec/codec/codec_internal.h"
#include "codec/codec/zfp_internal.h"

#include <stdlib.h>

#define RANK_MAX    4
#define HEADER_FULL 7u
#define WORD        sizeof(uint64_t) /* the library reads and writes its stream in these */
#define SLACK       ((size_t)1 << 20)
#define EXPANSION   16 /* times the decoded size that a stored chunk may take, with some slack */

enum { TYPE_NONE, TYPE_INT32, TYPE_INT64, TYPE_FLOAT, TYPE_DOUBLE };          /* zfp_type */
enum { MODE_RATE = 2, MODE_PRECISION = 3, MODE_ACCURACY = 4, MODE_LAST = 5 }; /* zfp_mode */

typedef struct zfpy_state {
    int64_t mode;
    double tolerance, rate, precision; /* below 0: it is not set */
    vz_codec_number_type dtype;        /* size 0: the chunk's own */
} zfpy_state;

/* ---- configuration ---- */

static bool read_real(const vz_codec *codec, const vz_json *config, const char *key, double *value, vz_error *err)
{
    const vz_json *json = vz_json_get(config, key);
    *value = -1;
    return !json || vz_json_kind_of(json) == VZ_JSON_NULL || vz_json_get_double(json, value) ||
           vz_fail(err, VZ_CORRUPT, "codec %s: \"%s\" must be a number", codec->class->id, key);
}

static bool zfpy_configure(vz_codec *codec, const vz_json *config, vz_error *err)
{
    zfpy_state *state = codec->state;
    state->mode = MODE_ACCURACY;
    if (vz_json_get(config, "dtype") && !vz_codec_number_type_read(codec, config, "dtype", &state->dtype, err))
        return false;
    return vz_config_int(codec, config, "mode", 0, MODE_LAST, &state->mode, err) &&
           read_real(codec, config, "tolerance", &state->tolerance, err) &&
           read_real(codec, config, "rate", &state->rate, err) &&
           read_real(codec, config, "precision", &state->precision, err);
}

/* The library's type of the numbers; TYPE_NONE: it has none. */
static int type_of(const vz_codec *codec)
{
    const zfpy_state *state = codec->state;
    const char kind = state->dtype.size ? state->dtype.kind : codec->context.kind;
    const size_t size = state->dtype.size ? state->dtype.size : codec->context.element_size;
    if (codec->context.swapped && !state->dtype.size)
        return TYPE_NONE;
    if (size == 4)
        return kind == 'i' ? TYPE_INT32 : kind == 'f' ? TYPE_FLOAT : TYPE_NONE;
    if (size == 8)
        return kind == 'i' ? TYPE_INT64 : kind == 'f' ? TYPE_DOUBLE : TYPE_NONE;
    return TYPE_NONE;
}

/* ---- one call of the library ---- */

typedef struct call {
    const vz_zfp *zfp;
    void *bits, *stream, *field;
    uint8_t *buffer; /* of the stored form, aligned */
    size_t size;
} call;

static void close_stream(call *c)
{
    if (c->stream)
        c->zfp->zfp_stream_close(c->stream);
    if (c->bits)
        c->zfp->stream_close(c->bits);
    c->stream = c->bits = NULL;
}

static void end(call *c)
{
    close_stream(c);
    if (c->field)
        c->zfp->zfp_field_free(c->field);
    free(c->buffer);
}

static bool begin(call *c, vz_error *err)
{
    *c = (call){.zfp = vz_zfp_library(err)};
    if (!c->zfp)
        return false;
    c->field = c->zfp->zfp_field_alloc();
    return c->field || vz_fail_memory(err);
}

/* A stream over so many bytes, in place of the one before. Those behind `in` are zeros. */
static bool open_stream(call *c, vz_bytes in, size_t size, vz_error *err)
{
    const size_t rounded = (size + WORD - 1) / WORD * WORD;
    close_stream(c);
    free(c->buffer);
    if (!(c->buffer = calloc(1, rounded)))
        return vz_fail_memory(err);
    if (in.size)
        memcpy(c->buffer, in.data, in.size);
    c->size = rounded;
    c->bits = c->zfp->stream_open(c->buffer, rounded);
    c->stream = c->bits ? c->zfp->zfp_stream_open(c->bits) : NULL;
    return c->stream || vz_fail_memory(err);
}

/* ---- decoding ---- */

static bool read_header(call *c, vz_bytes in, size_t size, vz_error *err)
{
    return open_stream(c, in, size, err) && (c->zfp->zfp_read_header(c->stream, c->field, HEADER_FULL) ||
                                             vz_fail(err, VZ_CORRUPT, "zfpy: the chunk has no header of zfp"));
}

/* Bytes that the header stands for; false: it is of another chunk. */
static bool measure(const vz_codec *codec, const call *c, uint64_t *size, vz_error *err)
{
    const int type = c->zfp->zfp_field_type(c->field), expected = type_of(codec);
    const unsigned rank = c->zfp->zfp_field_dimensionality(c->field);
    const uint64_t element = type == TYPE_INT32 || type == TYPE_FLOAT ? 4 : 8;
    size_t sizes[RANK_MAX] = {0};
    if (type == TYPE_NONE || rank == 0 || rank > RANK_MAX || (expected != TYPE_NONE && type != expected))
        return vz_fail(err, VZ_CORRUPT, "zfpy: the chunk holds numbers of another type");
    c->zfp->zfp_field_size(c->field, sizes);
    *size = element;
    for (unsigned i = 0; i < rank; i++)
        if (!vz_mul(*size, sizes[i], size))
            return vz_fail(err, VZ_CORRUPT, "zfpy: the chunk says that it has more than 2^64 bytes");
    return !codec->context.decoded_size || *size == codec->context.decoded_size ||
           vz_fail(err, VZ_CORRUPT, "zfpy: the chunk has %llu bytes, must have %zu", (unsigned long long)*size,
                   codec->context.decoded_size);
}

/* The library reads on behind the end of a stream that was cut, as far as the header lets it: that
 * far there are zeros. */
static bool decode(const vz_codec *codec, call *c, vz_bytes in, vz_buffer *out, vz_error *err)
{
    uint64_t size;
    if (!read_header(c, in, in.size + SLACK / WORD, err) || !measure(codec, c, &size, err) ||
        !vz_sink_claim(codec, out, size, err))
        return false;
    const size_t most = c->zfp->zfp_stream_maximum_size(c->stream, c->field);
    if (most / EXPANSION > size + SLACK)
        return vz_fail(err, VZ_LIMIT, "zfpy: the chunk may take %zu bytes for %llu", most, (unsigned long long)size);
    const size_t room = (in.size > most ? in.size : most) + SLACK / WORD;
    if (!read_header(c, in, room, err))
        return false;
    c->zfp->zfp_field_set_pointer(c->field, out->data);
    if (size && !c->zfp->zfp_decompress(c->stream, c->field))
        return vz_fail(err, VZ_CORRUPT, "zfpy: the chunk cannot be decompressed");
    out->size = (size_t)size;
    return true;
}

static bool zfpy_decode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    call c;
    const bool ok = begin(&c, err) && decode(codec, &c, in, out, err);
    end(&c);
    return ok;
}

/* ---- encoding ---- */

static bool check_shape(const vz_codec *codec, vz_error *err)
{
    const vz_codec_context *context = &codec->context;
    const int64_t mode = ((const zfpy_state *)codec->state)->mode;
    if (type_of(codec) == TYPE_NONE)
        return vz_fail(err, VZ_UNSUPPORTED,
                       "codec zfpy: numbers that are no int32, int64, float32 or float64 of this machine's byte order");
    if (context->rank == 0 || context->rank > RANK_MAX)
        return vz_fail(err, VZ_UNSUPPORTED, "codec zfpy: writing chunks of %u dimensions", context->rank);
    return (mode >= MODE_RATE && mode <= MODE_ACCURACY) ||
           vz_fail(err, VZ_UNSUPPORTED, "codec zfpy: writing in \"mode\" %d, which numcodecs does not do either",
                   (int)mode);
}

static bool zfpy_prepare(const vz_codec *codec, vz_error *err)
{
    return check_shape(codec, err) && vz_zfp_library(err) != NULL;
}

/* The last dimension is the fastest, which the library names first. */
static void set_shape(const vz_codec *codec, call *c)
{
    const uint64_t *s = codec->context.shape;
    switch (codec->context.rank) {
    case 1:
        c->zfp->zfp_field_set_size_1d(c->field, s[0]);
        break;
    case 2:
        c->zfp->zfp_field_set_size_2d(c->field, s[1], s[0]);
        break;
    case 3:
        c->zfp->zfp_field_set_size_3d(c->field, s[2], s[1], s[0]);
        break;
    default:
        c->zfp->zfp_field_set_size_4d(c->field, s[3], s[2], s[1], s[0]);
    }
}

/* As numcodecs: the member that "mode" means, if it is set; else without loss. */
static void set_mode(const vz_codec *codec, call *c)
{
    const zfpy_state *state = codec->state;
    if (state->mode == MODE_ACCURACY && state->tolerance >= 0)
        c->zfp->zfp_stream_set_accuracy(c->stream, state->tolerance);
    else if (state->mode == MODE_RATE && state->rate >= 0)
        c->zfp->zfp_stream_set_rate(c->stream, state->rate, type_of(codec), codec->context.rank, 0);
    else if (state->mode == MODE_PRECISION && state->precision >= 0 && state->precision <= UINT32_MAX)
        c->zfp->zfp_stream_set_precision(c->stream, (unsigned)state->precision);
    else
        c->zfp->zfp_stream_set_reversible(c->stream);
}

static bool encode(const vz_codec *codec, call *c, vz_bytes in, vz_buffer *out, vz_error *err)
{
    if (!open_stream(c, (vz_bytes){0}, WORD, err)) /* one that tells how long it may become */
        return false;
    c->zfp->zfp_field_set_type(c->field, type_of(codec));
    c->zfp->zfp_field_set_pointer(c->field, (void *)in.data);
    set_shape(codec, c);
    set_mode(codec, c);
    const size_t most = c->zfp->zfp_stream_maximum_size(c->stream, c->field);
    if (!most || !open_stream(c, (vz_bytes){0}, most, err))
        return vz_fail(err, VZ_LIMIT, "zfpy: a chunk of %zu bytes", in.size);
    set_mode(codec, c);
    const size_t size =
        c->zfp->zfp_write_header(c->stream, c->field, HEADER_FULL) ? c->zfp->zfp_compress(c->stream, c->field) : 0;
    /* A library with shorter words (Debian's) may end earlier than one of 8 bytes reads. */
    return size ? vz_buffer_append(out, c->buffer, (size + WORD - 1) / WORD * WORD, err)
                : vz_fail(err, VZ_UNSUPPORTED, "zfpy: the library does not compress the chunk");
}

static bool zfpy_encode(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err)
{
    call c;
    if (in.size != codec->context.decoded_size)
        return vz_fail(err, VZ_INVALID, "zfpy: %zu bytes are no chunk", in.size);
    const bool ok = check_shape(codec, err) && begin(&c, err);
    if (!ok)
        return false;
    const bool done = encode(codec, &c, in, out, err);
    end(&c);
    return done;
}

const vz_codec_class vz_codec_zfpy = {
    .id = "zfpy",
    .kind = VZ_CODEC_BYTES_TO_BYTES,
    .is_compressor = true,
    .state_size = sizeof(zfpy_state),
    .configure = zfpy_configure,
    .prepare = zfpy_prepare,
    .decode = zfpy_decode,
    .encode = zfpy_encode,
};
