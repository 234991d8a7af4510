/* signature.h - the signature block with which a one-file store or a redirect file begins. It is
 * HDF5's signature, a superblock version that no HDF5 has, and a line that names the kind of file.
 * HDF5 takes such a file for one of its own, cannot open it, and asks its plugins.
 *
 * The block stands at `base`: at 0, or behind a user block as HDF5 knows it, at 512, 1024, 2048
 * and so on. A one-file store goes on with two slots (central_internal.h). From vz_signature_end
 * on it has the entries of a zip, whose offsets count from the start of the file. A redirect
 * file goes on with one line of JSON (redirect.c). */
#ifndef VZ_STORE_SIGNATURE_H
#define VZ_STORE_SIGNATURE_H

#include "store/store/byte_source.h"

typedef enum vz_signature_kind {
    VZ_SIGNATURE_NONE, /* no signature of HDF5's, */
    VZ_SIGNATURE_HDF5, /* one of a real HDF5 file, or of something else that is no business of
                        * ours, */
    VZ_SIGNATURE_STORE,
    VZ_SIGNATURE_REDIRECT,
} vz_signature_kind;

typedef struct vz_signature {
    vz_signature_kind kind;
    uint64_t base; /* where the signature stands */
} vz_signature;

/* the smallest one: bytes; all others are this times a power of two */
#define VZ_SIGNATURE_USER_BLOCK 512
#define VZ_SIGNATURE_BLOCK_SIZE 512 /* the signature, the line and zeros */
#define VZ_SIGNATURE_SLOTS      2
#define VZ_SIGNATURE_SLOT_SIZE  512
#define VZ_SIGNATURE_ALIGNMENT  4096 /* of the first byte that entries may have */

static inline uint64_t vz_signature_slot(uint64_t base, unsigned slot)
{
    return base + VZ_SIGNATURE_BLOCK_SIZE + (uint64_t)slot * VZ_SIGNATURE_SLOT_SIZE;
}

/* The first byte behind the block and the slots that entries may have. */
static inline uint64_t vz_signature_end(uint64_t base)
{
    const uint64_t end = base + 2048;
    return (end + VZ_SIGNATURE_ALIGNMENT - 1) / VZ_SIGNATURE_ALIGNMENT * VZ_SIGNATURE_ALIGNMENT;
}

/* May a user block have that size? 0 is none. */
bool vz_signature_is_base(uint64_t base);

/* Finds the signature of HDF5 in a file of `size` bytes, at the first place in HDF5's order that
 * has it. False with err set: the file cannot be read. */
bool vz_signature_find(int file, uint64_t size, vz_signature *header, vz_error *err);
bool vz_signature_find_in(vz_byte_source *source, uint64_t size, vz_signature *header, vz_error *err);

/* The bytes before what follows the line: of a store the whole block, of a redirect file all up
 * to the JSON. */
vz_bytes vz_signature_print(vz_signature_kind kind, uint8_t block[VZ_SIGNATURE_BLOCK_SIZE]);

/* Writes the block of a store at `base`, and nothing else. */
bool vz_signature_write(int file, uint64_t base, vz_error *err);

#endif
