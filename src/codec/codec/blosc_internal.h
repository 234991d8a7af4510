/* blosc_internal.h - Blosc 1 buffers: decoded, encoded and read in part; the Blosc library. */
#ifndef VZ_CODEC_BLOSC_INTERNAL_H
#define VZ_CODEC_BLOSC_INTERNAL_H

#include "base/util/bytes.h"
#include "base/util/error.h"
#include "codec/codec/blosc_format.h"
#include "codec/codec/codec.h"
#include <blosc.h>
#include <stddef.h>

/* Is a block of so many bytes one stream for each byte of an element? A last one that is shorter
 * never is. */
static inline bool vz_blosc_is_split(size_t element, size_t block)
{
    enum { LEAST = 128 /* elements */ };
    return element <= VZ_BLOSC_SPLIT_ELEMENT && block / element >= LEAST;
}

/* -- Blosc decode --
 * Decodes parts of a Blosc buffer, and no more than these. */
/* Bytes of memory that vz_blosc_take_parts works in; 0: it does not know the form of this
 * buffer. */
size_t vz_blosc_parts_memory(vz_bytes in);

/* Decodes the parts (in ascending order, none over another) and writes nothing else. Of those
 * that do not say where, the first goes to `out`. The others lie as far behind it as they do in
 * the decoded data. False: the buffer has another form, or is damaged, or all of a larger one is
 * wanted, which the library unshuffles faster. Then `out` has no meaning. Damage behind the last
 * wanted byte of a stream is not looked at. */
bool vz_blosc_take_parts(vz_bytes in, const vz_codec_part *parts, size_t count, uint8_t *memory, uint8_t *out);

/* vz_codec_class.decode_parts of "blosc". */
bool vz_blosc_decode_parts(const vz_codec *codec, vz_bytes in, const vz_codec_part *parts, size_t count,
                           vz_buffer *scratch, uint8_t *out);

/* -- Blosc encode --
 * Blosc 1 buffers of LZ4, made without the library. */
/* decoded bytes up to which loading the library is worth avoiding */
#define VZ_BLOSC_ENCODE_MOST ((size_t)512 << 10)

/* How a buffer is made. */
typedef struct vz_blosc_form {
    int level, shuffle; /* the library's */
    size_t element;     /* bytes */
} vz_blosc_form;

/* Can a buffer of so many bytes be made here? Larger ones that are compressed the library makes as
 * well: what it does for each buffer counts less. */
bool vz_blosc_encodes(const vz_blosc_form *form, size_t size);
/* Such a buffer: in the blocks and streams that the library makes. Replaces what `out` holds. */
bool vz_blosc_encode(const vz_blosc_form *form, vz_bytes in, vz_buffer *out, vz_error *err);
/* The head (VZ_BLOSC_HEAD bytes) of one of any size that stands behind it as it is. */
void vz_blosc_plain_head(const vz_blosc_form *form, size_t size, uint8_t *head);

/* -- Blosc heap --
 * Keeps the memory that the Blosc library allocates in one call for its next one. */
/* Before a call of the library for so many decoded bytes, in the thread that makes it. The
 * library allocates temporary memory with an alignment. The C library (glibc before 2.38)
 * allocates somewhat more for that, and frees what is cut off at both ends. These bits go into a
 * small cache of the thread, where they part what the call frees from the rest of the heap. So
 * that part is a little too small for the next call. Up to seven times for each size the heap
 * grows by all of that memory. A cache that is full takes no more, and the bits go back where
 * they came from. Costs some 100 ns. */
void vz_blosc_heap_ready(size_t size);

/* -- Blosc library --
 * the Blosc library. A shared one brings four others with it, C++'s among them. They take longer
 * to load than all else that a program does that opens a store and looks into it. So it is
 * loaded when it is first used, and its functions are called through a table. A static one is
 * linked. */
/* Before a buffer is made or read. False: the library cannot be loaded. */
bool vz_blosc_is_there(vz_error *err);

#ifdef VZ_BLOSC_SONAME

typedef struct vz_blosc {
#define VZ_BLOSC_FUNCTION(name) __typeof__(&blosc_##name) name;
#include "codec/codec/blosc_functions.h"
#undef VZ_BLOSC_FUNCTION
} vz_blosc;

/* May run in several threads. Where the library cannot be loaded the table is empty: see above. */
const vz_blosc *vz_blosc_library(void);

#define blosc_cbuffer_complib      vz_blosc_library()->cbuffer_complib
#define blosc_cbuffer_metainfo     vz_blosc_library()->cbuffer_metainfo
#define blosc_cbuffer_sizes        vz_blosc_library()->cbuffer_sizes
#define blosc_cbuffer_validate     vz_blosc_library()->cbuffer_validate
#define blosc_compcode_to_compname vz_blosc_library()->compcode_to_compname
#define blosc_compname_to_compcode vz_blosc_library()->compname_to_compcode
#define blosc_compress_ctx         vz_blosc_library()->compress_ctx
#define blosc_decompress_ctx       vz_blosc_library()->decompress_ctx
#define blosc_getitem              vz_blosc_library()->getitem
#define blosc_list_compressors     vz_blosc_library()->list_compressors

#endif

/* -- Blosc partial --
 * Reads some blocks of a Blosc buffer that is not in memory. */
/* Is it the head of a buffer of so many decoded bytes that stand behind it as they are? */
bool vz_blosc_is_plain(const uint8_t *head, size_t decoded);

/* vz_codec_class.read_range of "blosc". */
bool vz_blosc_read_range(const vz_codec *codec, const vz_stored *stored, uint64_t offset, uint64_t size,
                         vz_buffer *scratch, vz_buffer *out, vz_error *err);

#endif
