/* zip_format.h - the records of a zip file as bytes. The format is PKWARE's APPNOTE.TXT, 6.3. */
#ifndef VZ_ZIP_ZIP_FORMAT_H
#define VZ_ZIP_ZIP_FORMAT_H

#include "store/zip/entry_tree.h"

/* Fixed parts of the records, in bytes (APPNOTE 4.3.7, 4.3.12, 4.3.14, 4.3.15, 4.3.16). */
#define VZ_ZIP_LOCAL_SIZE        30
#define VZ_ZIP_CENTRAL_SIZE      46
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

#define VZ_ZIP_DATE ((1 << 5) | 1) /* 1 January 1980, at midnight: the same entry makes the same bytes */

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
#define VZ_ZIP_ALIGNMENT     4096  /* of the data of entries */
#define VZ_ZIP_ALIGNED_FROM  32768 /* of so many bytes or more: all of them would make a file of small ones large */

/* Our comment in an end record: its generation, where the end record ends that this one repeats (0: none), and a
 * checksum of the directory and of all that is said of it. */
#define VZ_ZIP_COMMENT_PREFIX "vol-zarr 1 "
#define VZ_ZIP_COMMENT_SIZE   (sizeof VZ_ZIP_COMMENT_PREFIX - 1 + 16 + 1 + 16 + 1 + 8)
#define VZ_ZIP_END_MOST       (VZ_ZIP_END64_SIZE + VZ_ZIP_LOCATOR_SIZE + VZ_ZIP_END_SIZE + VZ_ZIP_COMMENT_SIZE)

/* A central directory, and the end record that tells of it. */
typedef struct vz_zip_end {
    uint64_t directory; /* where it stands in the file */
    uint64_t size;      /* its bytes */
    uint64_t count;     /* its entries */
    uint64_t shift;     /* the offsets that its entries tell are so much too small: bytes before the zip */
    uint64_t after;     /* where the end record ends */
    uint32_t crc;       /* of the directory; 0 where it is not known yet */
    bool is_ours;       /* the end record has our comment, and its checksum holds */
    bool is_doubtful;   /* it has one whose checksum does not: another program kept it, or something is damaged */
    uint64_t generation;
    bool is_torn;      /* behind it a copy of the directory was begun, and not ended */
    uint64_t original; /* of a guard: where the end record ends that it repeats; 0: it repeats none */
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
size_t vz_zip_local_size(const char *key, const vz_zip_value *value);
/* Appends it, and `padding` bytes of padding: none, or VZ_ZIP_PADDING_MIN or more. */
bool vz_zip_print_local(vz_buffer *out, const char *key, const vz_zip_value *value, size_t padding, vz_error *err);
/* Appends the record of an entry whose local header stands at `offset`. */
bool vz_zip_print_central(vz_buffer *out, const char *key, const vz_zip_value *value, uint64_t offset, vz_error *err);
/* Appends the end record of a directory, with our comment; sets end->after. All else of `end` is given. */
bool vz_zip_print_end(vz_buffer *out, vz_zip_end *end, vz_error *err);
/* Is that our comment, and does its checksum hold for the directory with end->crc? Then what it tells is set; if only
 * the checksum does not hold, end->is_doubtful is. */
void vz_zip_parse_comment(const uint8_t *comment, size_t size, vz_zip_end *end);

#endif
