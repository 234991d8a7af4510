/* blosc_decode.h - parts of a Blosc buffer, decoded no further than they reach. */
#ifndef VZ_CODEC_BLOSC_DECODE_H
#define VZ_CODEC_BLOSC_DECODE_H

#include "codec/codec/codec.h"

/* Bytes of memory that vz_blosc_take_parts works in; 0: it does not know the form of this buffer. */
size_t vz_blosc_parts_memory(vz_bytes in);

/* Decodes the parts (in ascending order, none over another) and writes nothing else: those that do not say
 * where, to `out` the first one, and as far behind it as they lie behind it in the decoded data. False: another form,
 * or damaged, or all of a larger one is wanted that the library unshuffles faster; what is in `out` then has no
 * meaning. Damage behind the last wanted byte of a stream is not looked at. */
bool vz_blosc_take_parts(vz_bytes in, const vz_codec_part *parts, size_t count, uint8_t *memory, uint8_t *out);

/* vz_codec_class.decode_parts of "blosc". */
bool vz_blosc_decode_parts(const vz_codec *codec, vz_bytes in, const vz_codec_part *parts, size_t count,
                           vz_buffer *scratch, uint8_t *out);

#endif
