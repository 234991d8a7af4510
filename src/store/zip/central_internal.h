/* central_internal.h - the records of a zip file: entries, end, flush slots; entries inflated. */
#ifndef VZ_ZIP_CENTRAL_INTERNAL_H
#define VZ_ZIP_CENTRAL_INTERNAL_H

#include "store/store/kind.h"
#include "store/keytree/key_tree.h"

/* -- Zip format --
 * the records of a zip file as bytes. The format is PKWARE's APPNOTE.TXT, 6.3. */
/* Fixed parts of the records, in bytes (APPNOTE 4.3.7, 4.3.12, 4.3.14, 4.3.15, 4.3.16). */
#define VZ_ZIP_LOCAL_SIZE        30
#define VZ_ZIP_CENTRAL_SIZE      46
#define VZ_ZIP_CENTRAL_NAME      28 /* where it has the length of its name */
#define VZ_ZIP_END_SIZE          22
#define VZ_ZIP_END64_SIZE        56
#define VZ_ZIP_LOCATOR_SIZE      20
#define VZ_ZIP_LOCAL_SIGNATURE   0x04034b50u
#define VZ_ZIP_CENTRAL_SIGNATURE 0x02014b50u
#define VZ_ZIP_END_SIGNATURE     0x06054b50u
#define VZ_ZIP_END64_SIGNATURE   0x06064b50u
#define VZ_ZIP_LOCATOR_SIGNATURE 0x07064b50u

#define VZ_ZIP_STORED   0
#define VZ_ZIP_DEFLATED 8

/* 1 January 1980, at midnight: the same entry makes the same bytes */
#define VZ_ZIP_DATE ((1 << 5) | 1)

#define VZ_ZIP_FLAG_ENCRYPTED  1
#define VZ_ZIP_FLAG_DESCRIPTOR (1 << 3) /* sizes and checksum follow the data */
#define VZ_ZIP_FLAG_UTF8       (1 << 11)

#define VZ_ZIP_NAME_MAX    65535 /* bytes of a name: what its field can say */
#define VZ_ZIP_COMMENT_MAX 65535
#define VZ_ZIP_FIELD_16    0xffffu /* the field's value is in a zip64 record */
#define VZ_ZIP_FIELD_32    0xffffffffu
#define VZ_ZIP_EXTRA_ZIP64 1 /* id of the zip64 extra field */

/* Padding in a local extra field: id, length, the alignment that it is for, zeros. */
#define VZ_ZIP_EXTRA_PADDING 0xd935
#define VZ_ZIP_PADDING_MIN   6
#define VZ_ZIP_ALIGNMENT     4096 /* of the data of entries */
/* of so many bytes or more: all of them would make a file of small ones large */
#define VZ_ZIP_ALIGNED_FROM 32768

/* Our comment in an end record. It has the store's generation and the end of the record that this
 * one repeats (0: none). A checksum covers the directory and all that is said of it. */
#define VZ_ZIP_COMMENT_PREFIX "vol-zarr 1 "
#define VZ_ZIP_COMMENT_SIZE   (sizeof VZ_ZIP_COMMENT_PREFIX - 1 + 16 + 1 + 16 + 1 + 8)
#define VZ_ZIP_END_MOST       (VZ_ZIP_END64_SIZE + VZ_ZIP_LOCATOR_SIZE + VZ_ZIP_END_SIZE + VZ_ZIP_COMMENT_SIZE)

/* A central directory, and the end record that tells of it. */
typedef struct vz_zip_end {
    uint64_t directory; /* where it stands in the file */
    uint64_t size;      /* its bytes */
    uint64_t count;     /* its entries */
    uint64_t shift;     /* the offsets that its entries tell are so much too small: bytes before the
                         * zip */
    uint64_t after;     /* where the end record ends */
    uint32_t crc;       /* of the directory; 0 where it is not known yet */
    bool is_ours;       /* the end record has our comment, and its checksum holds */
    bool is_doubtful;   /* it has one whose checksum does not: another program kept it, or something
                         * is damaged */
    uint64_t generation;
    /* of the index with which the directory ends; size 0: none is known */
    uint32_t index_size, index_crc;
    bool is_torn;      /* behind it a copy of the directory was begun, and not ended */
    uint64_t original; /* of a guard: where the end record ends that it repeats; 0: it repeats
                        * none */
} vz_zip_end;

static inline uint16_t vz_zip_load16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline void vz_zip_store16(uint8_t *p, uint16_t v)
{
    p[0] = (uint8_t)v, p[1] = (uint8_t)(v >> 8);
}

/* Bit 11 says that the name is UTF-8, for names beyond ASCII that are. */
uint16_t vz_zip_name_flags(const char *key);
/* Bytes of the local header of a new entry, without padding. */
size_t vz_zip_local_size(const char *key, const vz_keytree_value *value);
/* Appends it, and `padding` bytes of padding: none, or VZ_ZIP_PADDING_MIN or more. */
bool vz_zip_print_local(vz_buffer *out, const char *key, const vz_keytree_value *value, size_t padding, vz_error *err);
/* Appends the record of an entry whose local header stands at `offset`. */
bool vz_zip_print_central(vz_buffer *out, const char *key, const vz_keytree_value *value, uint64_t offset,
                          vz_error *err);
/* Appends the end record of a directory, with our comment; sets end->after. All else of `end` is
 * given. */
bool vz_zip_print_end(vz_buffer *out, vz_zip_end *end, vz_error *err);
/* Is that our comment, and does its checksum hold for the directory with end->crc? Then what it
 * tells is set; if only the checksum does not hold, end->is_doubtful is. */
void vz_zip_parse_comment(const uint8_t *comment, size_t size, vz_zip_end *end);

/* -- End record --
 * which end record of a zip file counts. */
/* The end record with which the file of `size` bytes ends. *found=false (and true returned): it
 * does not end with one that could be true. `records`, if not NULL, gets the directory, which is
 * read for its checksum anyway; the caller clears it. */
bool vz_zip_end_at_end(vz_byte_source *source, uint64_t size, vz_zip_end *end, vz_buffer *records, bool *found,
                       vz_error *err);
/* Or a few bytes follow it, at most VZ_ZIP_BEHIND_MAX: whatever stands before it, this is a zip
 * file. */
#define VZ_ZIP_BEHIND_MAX 1024
bool vz_zip_end_near_end(vz_byte_source *source, uint64_t size, vz_zip_end *end, bool *found, vz_error *err);
/* If none is there: one that a few bytes follow. Or one behind which a writer was killed while it
 * wrote a copy of that very directory. */
bool vz_zip_end_before(vz_byte_source *source, uint64_t size, vz_zip_end *end, bool *found, vz_error *err);
/* The checksum of the directory, and the directory itself where `records` is not NULL; false
 * also if it reaches beyond the file. */
bool vz_zip_end_sum(vz_byte_source *source, const vz_zip_end *end, vz_buffer *records, uint32_t *crc, vz_error *err);

/* -- Flush slot --
 * the two slots behind the header of a one-file store (kind.h): what a flush made of it. A slot
 * names a central directory in the file, and the last of a chain of delta records, each of which
 * names the one before. They are written in turns, each with a checksum, so that one of them is
 * whole at any moment. */
/* A delta record in the file; size 0: there is none. */
typedef struct vz_zip_slot_delta {
    uint64_t offset;
    uint32_t size, crc;
} vz_zip_slot_delta;

typedef struct vz_zip_slot {
    uint64_t sequence; /* grows with each slot that is written; 0: none was */
    bool is_open;      /* somebody writes: the file may end with anything. Else it ends with the end
                        * record of `end` */
    vz_zip_end end;    /* the directory; `is_ours` is not kept */
    vz_zip_slot_delta last;
    uint32_t deltas;      /* in the chain */
    uint64_t delta_bytes; /* in all of them */
    uint64_t used;        /* what directory, entries and deltas take ends here or before */
    bool is_damaged;      /* this one, or the other, has bytes that are not what was written */
} vz_zip_slot;

/* The slots that are whole, the newer one first; their number. False with err set: the file
 * cannot be read. */
bool vz_zip_slot_read(vz_byte_source *source, uint64_t base, vz_zip_slot slots[VZ_SIGNATURE_SLOTS], unsigned *count,
                      vz_error *err);
/* Its bytes. Of slot number n they stand in place n modulo VZ_SIGNATURE_SLOTS, which the slot
 * before has not. */
void vz_zip_slot_print(const vz_zip_slot *slot, uint8_t bytes[VZ_SIGNATURE_SLOT_SIZE]);

/* -- Inflate entry --
 * the bytes of an entry as they stand in a zip file. Can they be read here, where do they begin,
 * what are they, and are they whole? A caller that reads them keeps his own bounds for sizes. */
/* VZ_UNSUPPORTED: encrypted, or compressed otherwise than by deflate. */
bool vz_zip_check_method(uint16_t method, uint16_t flags, vz_error *err);
/* The length of the local header of which these are the first VZ_ZIP_LOCAL_SIZE bytes, and which
 * stands at `local`; `stored` bytes follow it. VZ_CORRUPT: there is none, or they reach beyond a
 * file of `size` bytes. */
bool vz_zip_measure_local(const uint8_t *head, uint64_t local, uint64_t stored, uint64_t size, uint32_t *length,
                          vz_error *err);
/* Are these bytes, VZ_ZIP_LOCAL_SIZE and the length of the key, the local header of that entry?
 * Sizes and checksum may stand behind its data. */
bool vz_zip_is_header_of(const uint8_t *head, const char *key, uint16_t method, uint32_t crc);
/* Into exactly `size` bytes; VZ_CORRUPT if that is not what they are. */
bool vz_zip_inflate(vz_bytes stored, uint8_t *place, size_t size, vz_error *err);
/* VZ_CORRUPT: all bytes of the value have another checksum. */
bool vz_zip_check_sum(const uint8_t *data, size_t size, uint32_t crc, vz_error *err);

#endif
