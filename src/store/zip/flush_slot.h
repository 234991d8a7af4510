/* flush_slot.h - the two slots behind the header of a one-file store (signature.h): what a flush made of it. A slot names a
 * central directory in the file, and the last of a chain of delta records, each of which names the one before. They are
 * written in turns, each with a checksum, so that one of them is whole at any moment. */
#ifndef VZ_ZIP_FLUSH_SLOT_H
#define VZ_ZIP_FLUSH_SLOT_H

#include "store/store/signature.h"
#include "store/zip/zip_format.h"

/* A delta record in the file; size 0: there is none. */
typedef struct vz_slot_delta {
    uint64_t offset;
    uint32_t size, crc;
} vz_slot_delta;

typedef struct vz_slot {
    uint64_t sequence; /* grows with each slot that is written; 0: none was */
    bool is_open;      /* somebody writes: the file may end with anything. Else it ends with the end record of `end` */
    vz_zip_end end;    /* the directory; `is_ours` is not kept */
    vz_slot_delta last;
    uint32_t deltas;      /* in the chain */
    uint64_t delta_bytes; /* in all of them */
    uint64_t used;        /* what directory, entries and deltas take ends here or before */
    bool is_damaged;      /* this one, or the other, has bytes that are not what was written */
} vz_slot;

/* The slots that are whole, the newer one first; their number. False with err set: the file cannot be read. */
bool vz_slot_read(vz_medium *medium, uint64_t base, vz_slot slots[VZ_HEADER_SLOTS], unsigned *count, vz_error *err);
/* Its bytes. Of slot number n they stand in place n modulo VZ_HEADER_SLOTS, which the slot before has not. */
void vz_slot_print(const vz_slot *slot, uint8_t bytes[VZ_HEADER_SLOT_SIZE]);

#endif
