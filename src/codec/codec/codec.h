/* codec.h - a codec turns bytes into other bytes (or items into bytes). One codec a file, one row
 * each in registry.c. A configured codec is immutable: encode and decode may run in several threads
 * at once. */
#ifndef VZ_CODEC_CODEC_H
#define VZ_CODEC_CODEC_H

#include "base/util/bytes.h"
#include "base/util/json.h"
#include <stddef.h>
#include <stdint.h>

typedef struct vz_codec vz_codec;

typedef enum vz_codec_kind {
    VZ_CODEC_BYTES_TO_BYTES, /* compressors, checksums, shuffle, delta */
    VZ_CODEC_ITEMS_TO_BYTES, /* object codecs: vlen-utf8, vlen-bytes, vlen-array, json2, msgpack2,
                              * pickle */
} vz_codec_kind;

#define VZ_CODEC_MAX_RANK 32

/* A stored value of which a part can be read without the rest. */
typedef struct vz_stored {
    /* Appends bytes [offset, offset+size); fewer than these are VZ_CORRUPT. */
    bool (*read)(void *context, uint64_t offset, size_t size, vz_buffer *out, vz_error *err);
    void *context;
} vz_stored;

/* Bytes [offset, offset+size) of the decoded data. */
typedef struct vz_codec_part {
    uint64_t offset, size;
    uint8_t *to; /* where they go; NULL: where all parts of a call do */
} vz_codec_part;

/* Facts about the chunks that a codec works on. "Decoded" is this codec's own decoded form, which
 * is the chunk itself only for the first codec of a chain. Filled in before configure is called. */
typedef struct vz_codec_context {
    size_t element_size;  /* bytes of one element as the codec is given it to encode (1: bytes
                           * without structure) */
    bool swapped;         /* its bytes are not in this machine's order, as far as is known */
    size_t element_count; /* elements of a chunk */
    size_t decoded_size;  /* bytes of a whole decoded chunk; 0: not known */
    size_t decoded_limit; /* no decoded chunk is larger; equals decoded_size where that is known */
    char kind;            /* numpy's letter for elements that are numbers; 0: they are none, or it
                           * is not known */
    bool as_filter;       /* takes what HDF5's filter of this name takes, also where numcodecs'
                           * codec refuses */
    unsigned rank;        /* the shape of a chunk, slowest first, whose product is element_count */
    uint64_t shape[VZ_CODEC_MAX_RANK];
    const vz_json *record; /* object codecs: the structure that each item is a row of, in format 2,
                            * or NULL. Only while configure is running. */
} vz_codec_context;

typedef struct vz_codec_class {
    const char *id; /* numcodecs id */
    vz_codec_kind kind;
    bool is_compressor; /* BYTES_TO_BYTES: as the last of a chain it is what format 2 calls the
                         * compressor */
    size_t state_size;
    /* Reads the configuration (a JSON object) into codec->state. Unknown members are ignored, wrong
     * ones are VZ_CORRUPT. NULL: no configuration. */
    bool (*configure)(vz_codec *codec, const vz_json *config, vz_error *err);
    void (*clear)(vz_codec *codec); /* NULL: nothing to free in state */
    /* The form it encodes to, for the next codec in line. It is the bytes of one element (NULL:
     * 1), and of a whole chunk when decoded_size bytes go in. False on overflow; NULL: not known
     * beforehand, as with all compressors. */
    size_t (*encoded_element_size)(const vz_codec *codec);
    bool (*encoded_size)(const vz_codec *codec, size_t decoded_size, size_t *size);
    /* BYTES_TO_BYTES. Output is appended to the empty `out` (which may be borrowed: exactly as
     * large as a decoded chunk). Decoding never trusts a size in `in` beyond what a borrowed `out`
     * holds, or out->limit, or context.decoded_limit. It may give less than context.decoded_size;
     * the chain checks. */
    bool (*decode)(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err);
    bool (*encode)(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err);
    /* Has what encoding needs ready, so that a write fails, and not a flush long after it. NULL:
     * nothing can be missing. */
    bool (*prepare)(const vz_codec *codec, vz_error *err);
    /* As encode, but a chunk that gains little by it becomes a plain form, which `decode` reads
     * too. The form is plain_head bytes that is_plain knows, and behind them the decoded bytes
     * as they are. *head_alone (NULL: it must be whole): of such a form only the head was
     * appended. NULL (all three): the codec has no such form. */
    bool (*encode_or_keep)(const vz_codec *codec, vz_bytes in, vz_buffer *out, bool *head_alone, vz_error *err);
    size_t plain_head;
    bool (*is_plain)(const vz_codec *codec, const uint8_t *head);
    /* By the head of another one: what range_unit tells. NULL: it does not tell that. */
    size_t (*head_unit)(const vz_codec *codec, const uint8_t *head);
    /* Bytes [offset, offset+size) of the decoded data into `out` as above; NULL: decode all, then
     * cut. */
    bool (*decode_range)(const vz_codec *codec, vz_bytes in, uint64_t offset, uint64_t size, vz_buffer *out,
                         vz_error *err);
    /* With decode_range: parts of the decoded data, in ascending order and none over another. Each
     * goes to its own address, or to where it lies behind the first one in `out`. Nothing else is
     * written. `scratch`: memory for that. False, which is no error: of another form than this can
     * be done of, or damaged, which decode_range tells. NULL: there is no such form. */
    bool (*decode_parts)(const vz_codec *codec, vz_bytes in, const vz_codec_part *parts, size_t count,
                         vz_buffer *scratch, uint8_t *out);
    /* With decode_range: bytes of the decoded data that are decoded together, from any multiple of
     * it on; 0: not known. */
    size_t (*range_unit)(const vz_codec *codec, vz_bytes in);
    /* With decode_range: the same, reading of the stored value what the range needs. `scratch`:
     * memory for that. NULL: the codec needs all of it. */
    bool (*read_range)(const vz_codec *codec, const vz_stored *stored, uint64_t offset, uint64_t size,
                       vz_buffer *scratch, vz_buffer *out, vz_error *err);
    /* BYTES_TO_BYTES. These two turn data into the form that the HDF5 filter of this compression
     * stores, and back, appended to the empty `out`. Compressed bytes are taken over as they are
     * wherever that form allows it. NULL (both): this codec's form is the filter's. */
    bool (*to_filter)(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err);
    bool (*from_filter)(const vz_codec *codec, vz_bytes in, vz_buffer *out, vz_error *err);
    /* ITEMS_TO_BYTES. items[count]; decoded items point into the arena (at any address: not
     * aligned) and are never missing ({NULL, 0}). The arena is NULL where the class lends items:
     * they point into `in` or the codec. A missing item is encoded as an empty one, or null. A
     * payload with another count is VZ_CORRUPT. Items of json2, msgpack2 and pickle are JSON texts,
     * one value each. */
    bool (*decode_items)(const vz_codec *codec, vz_bytes in, vz_item *items, size_t count, vz_arena *arena,
                         vz_error *err);
    bool (*encode_items)(const vz_codec *codec, const vz_item *items, size_t count, vz_buffer *out, vz_error *err);
    bool lends_items;
} vz_codec_class;

struct vz_codec {
    const vz_codec_class *class;
    vz_codec_context context;
    void *state;
};

/* NULL if there is no such codec here. `items`: which of two of that name is wanted. */
const vz_codec_class *vz_codec_find(const char *id, bool items);

/* Bytes that a chunk of an array of objects may decode to before the object codec. */
#define VZ_CHAIN_PAYLOAD_MAX ((size_t)1 << 32)

/* -- Classes --
 * The classes that registry.c lists. */
extern const vz_codec_class vz_codec_adler32;
extern const vz_codec_class vz_codec_astype;
extern const vz_codec_class vz_codec_base64;
extern const vz_codec_class vz_codec_bitround;
extern const vz_codec_class vz_codec_blosc;
extern const vz_codec_class vz_codec_byte_order;
extern const vz_codec_class vz_codec_bz2;
extern const vz_codec_class vz_codec_cast_value;
extern const vz_codec_class vz_codec_categorize;
extern const vz_codec_class vz_codec_categorize_objects;
extern const vz_codec_class vz_codec_crc32;
extern const vz_codec_class vz_codec_crc32c;
extern const vz_codec_class vz_codec_delta;
extern const vz_codec_class vz_codec_fixedscaleoffset;
extern const vz_codec_class vz_codec_fletcher32;
extern const vz_codec_class vz_codec_gzip;
extern const vz_codec_class vz_codec_jenkins;
extern const vz_codec_class vz_codec_json2;
extern const vz_codec_class vz_codec_lz4;
extern const vz_codec_class vz_codec_lzma;
extern const vz_codec_class vz_codec_msgpack2;
extern const vz_codec_class vz_codec_packbits;
extern const vz_codec_class vz_codec_packed_bits;
extern const vz_codec_class vz_codec_pickle;
extern const vz_codec_class vz_codec_quantize;
extern const vz_codec_class vz_codec_scale_offset;
extern const vz_codec_class vz_codec_shuffle;
extern const vz_codec_class vz_codec_vlen_array;
extern const vz_codec_class vz_codec_vlen_bytes;
extern const vz_codec_class vz_codec_vlen_utf8;
extern const vz_codec_class vz_codec_zfpy;
extern const vz_codec_class vz_codec_zlib;
extern const vz_codec_class vz_codec_zstd;

/* -- Config --
 * Members of a codec's configuration. All functions leave the default where the member is absent or
 * null. They answer VZ_CORRUPT, naming codec and member, where it has no valid value. */
bool vz_config_bool(const vz_codec *codec, const vz_json *config, const char *key, bool *value, vz_error *err);

/* Borrowed from config. */
bool vz_config_text(const vz_codec *codec, const vz_json *config, const char *key, const char **value, vz_error *err);

/* Floats of 2, 4 or 8 bytes; narrowing rounds as above. */
double vz_real_from_bits(uint64_t bits, size_t size);
uint64_t vz_real_to_bits(double value, size_t size);

/* -- Lz4 frame --
 * the form in which HDF5's registered lz4 filter (32004) stores data; ours is the codec "lz4".
 * Big-endian: 8 bytes size, 4 bytes block size, then each block as 4 bytes stored size and the
 * bytes. A block whose stored size is its size is not compressed. */
/* block_size 0: the filter's default. Appends to `out`. */
bool vz_lz4_frame_encode(size_t block_size, vz_bytes in, vz_buffer *out, vz_error *err);

/* Decodes to at most `most` bytes. */
bool vz_lz4_frame_decode(vz_bytes in, size_t most, vz_buffer *out, vz_error *err);

/* -- Number --
 * numpy's type strings as codecs' configurations use them, and numbers of such types one at a
 * time. */
typedef struct vz_codec_number_type {
    char kind;    /* numpy's letter: b i u f c m M S U V */
    size_t size;  /* bytes, at least 1 */
    bool swapped; /* not this machine's byte order */
} vz_codec_number_type;

/* Reads the member `key` ("<i4", "|u1", "<M8[ns]" ...), which may be absent if *type is set (size
 * not 0) already. */
bool vz_codec_number_type_read(const vz_codec *codec, const vz_json *config, const char *key,
                               vz_codec_number_type *type, vz_error *err);

/* A value of kind i, u or f; integers in two's complement, widened to 64 bits by their kind. */
typedef struct vz_codec_number {
    char kind;
    union {
        uint64_t integer;
        double real;
    };
} vz_codec_number;

/* Can the functions below work on this type? (i, u of 1 to 8 bytes, f of 2 to 8) */
bool vz_codec_number_type_is_real(vz_codec_number_type type);

vz_codec_number vz_codec_number_load(vz_codec_number_type type, const uint8_t *from);

#endif
