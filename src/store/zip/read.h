/* read.h - the entries of a zip file, for callers that read their bytes themselves, many at once.
 * So it is where each look at the file is a round trip. */
#ifndef VZ_ZIP_READ_H
#define VZ_ZIP_READ_H

#include "store/store/store.h"

typedef struct vz_zip_entry {
    uint64_t local;  /* where its local header stands; its bytes follow that */
    uint64_t stored; /* bytes there */
    uint64_t size;   /* bytes of the value */
    uint32_t lead;   /* bytes of the local header; 0: they are not known yet */
    uint32_t crc;
    uint16_t method, flags;
    bool is_unproven; /* its name has not been compared with that of the entry itself */
} vz_zip_entry;

/* Of a zip store that nobody writes. *found=false: it has no such value. */
bool vz_zip_entry_find(vz_store *zip, const char *key, vz_zip_entry *entry, bool *found, vz_error *err);
/* The next one who finds it is reported how long its local header is. */
void vz_zip_entry_remember(vz_store *zip, const char *key, uint32_t lead);
/* Can it be unpacked here? */
bool vz_zip_entry_check(const vz_zip_entry *entry, vz_error *err);
bool vz_zip_entry_is_stored(const vz_zip_entry *entry); /* as it is, so that parts of it can be
                                                         * read */
/* Bytes that the local header is likely not to exceed. */
uint32_t vz_zip_entry_guess(const char *key, const vz_zip_entry *entry);
/* Bytes of a local header by which its length is known, and whose entry it is. */
size_t vz_zip_entry_head(const char *key);
/* Sets `lead`, by so many first bytes, or more. VZ_CORRUPT: there is no local header of that key,
 * or the entry does not lie in the file of `size` bytes. */
bool vz_zip_entry_measure(vz_zip_entry *entry, const char *key, vz_bytes head, uint64_t size, vz_error *err);
/* Appends a range of the value whose stored bytes these are. Of all of it the checksum is looked
 * at. */
bool vz_zip_entry_unpack(const vz_zip_entry *entry, vz_bytes stored, vz_range range, vz_buffer *out, vz_error *err);

#endif
