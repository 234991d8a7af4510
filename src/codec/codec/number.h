/* number.h - numpy's type strings as codecs' configurations use them, and numbers of such types one at a time. */
#ifndef VZ_CODEC_NUMBER_H
#define VZ_CODEC_NUMBER_H

#include "codec/codec/codec.h"

typedef struct vz_number_type {
    char kind;    /* numpy's letter: b i u f c m M S U V */
    size_t size;  /* bytes, at least 1 */
    bool swapped; /* not this machine's byte order */
} vz_number_type;

/* Reads the member `key` ("<i4", "|u1", "<M8[ns]" ...), which may be absent if *type is set (size not 0) already. */
bool vz_number_type_read(const vz_codec *codec, const vz_json *config, const char *key, vz_number_type *type,
                         vz_error *err);

/* A value of kind i, u or f; integers in two's complement, widened to 64 bits by their kind. */
typedef struct vz_codec_number {
    char kind;
    union {
        uint64_t integer;
        double real;
    };
} vz_codec_number;

/* Can the functions below work on this type? (i, u of 1 to 8 bytes, f of 2 to 8) */
bool vz_number_type_is_real(vz_number_type type);
/* The type that numpy computes in when values of both meet. */
vz_number_type vz_number_type_promote(vz_number_type a, vz_number_type b);
vz_codec_number vz_number_load(vz_number_type type, const uint8_t *from);
void vz_number_store(vz_number_type type, vz_codec_number value, uint8_t *to);
/* The same value as another type, as C converts: integers wrap, reals are rounded to the type's precision or cut to
 * integers (out of range: some value). */
vz_codec_number vz_number_cast(vz_number_type type, vz_codec_number value);

#endif
