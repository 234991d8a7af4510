/* signature.c - the signature block of one-file stores and redirect files: found, printed,
 * written. */
#include "store/store/kind.h"
#include "base/os/file.h"

#define SIGNATURE      "\211HDF\r\n\032\n"
#define SIGNATURE_SIZE (sizeof SIGNATURE - 1)

/* The first byte behind the signature is the version of the superblock: 255 stands for none.
 * Flash that was erased is 0xFF as well, so the whole line counts. */
static const char store_magic[] = SIGNATURE
    "\377 vol-zarr one-file store: a zip of a Zarr store, which HDF5 programs read with the plugin vol-zarr\n";
static const char redirect_magic[] =
    SIGNATURE "\377 vol-zarr doorway: this names a Zarr store, which HDF5 programs read with the plugin vol-zarr\n";

#define STORE_MAGIC_SIZE    (sizeof store_magic - 1)
#define REDIRECT_MAGIC_SIZE (sizeof redirect_magic - 1)
#define MAGIC_MAX           (STORE_MAGIC_SIZE > REDIRECT_MAGIC_SIZE ? STORE_MAGIC_SIZE : REDIRECT_MAGIC_SIZE)

_Static_assert(MAGIC_MAX <= VZ_SIGNATURE_BLOCK_SIZE, "the line fits into the block");

bool vz_signature_is_base(uint64_t base)
{
    return base == 0 || (base >= VZ_SIGNATURE_USER_BLOCK && (base & (base - 1)) == 0);
}

static vz_signature_kind kind_of(const uint8_t *start, size_t size)
{
    if (size < SIGNATURE_SIZE || memcmp(start, SIGNATURE, SIGNATURE_SIZE) != 0)
        return VZ_SIGNATURE_NONE;
    if (size >= STORE_MAGIC_SIZE && memcmp(start, store_magic, STORE_MAGIC_SIZE) == 0)
        return VZ_SIGNATURE_STORE;
    if (size >= REDIRECT_MAGIC_SIZE && memcmp(start, redirect_magic, REDIRECT_MAGIC_SIZE) == 0)
        return VZ_SIGNATURE_REDIRECT;
    return VZ_SIGNATURE_HDF5;
}

bool vz_signature_find_in(vz_byte_source *source, uint64_t size, vz_signature *header, vz_error *err)
{
    *header = (vz_signature){.kind = VZ_SIGNATURE_NONE};
    for (uint64_t base = 0; size >= SIGNATURE_SIZE && base <= size - SIGNATURE_SIZE;
         base = base ? 2 * base : VZ_SIGNATURE_USER_BLOCK) {
        uint8_t start[MAGIC_MAX];
        const size_t length = size - base < sizeof start ? (size_t)(size - base) : sizeof start;
        if (!vz_byte_source_read(source, base, start, length, err))
            return false;
        const vz_signature_kind kind = kind_of(start, length);
        if (kind != VZ_SIGNATURE_NONE) {
            *header = (vz_signature){.kind = kind, .base = base};
            return true;
        }
        if (base > size / 2)
            break;
    }
    return true;
}

bool vz_signature_find(int file, uint64_t size, vz_signature *header, vz_error *err)
{
    vz_byte_source source = vz_byte_source_over_file(file);
    return vz_signature_find_in(&source, size, header, err);
}

vz_bytes vz_signature_print(vz_signature_kind kind, uint8_t block[VZ_SIGNATURE_BLOCK_SIZE])
{
    memset(block, 0, VZ_SIGNATURE_BLOCK_SIZE);
    if (kind == VZ_SIGNATURE_REDIRECT) {
        memcpy(block, redirect_magic, REDIRECT_MAGIC_SIZE);
        return (vz_bytes){.data = block, .size = REDIRECT_MAGIC_SIZE};
    }
    memcpy(block, store_magic, STORE_MAGIC_SIZE);
    return (vz_bytes){.data = block, .size = VZ_SIGNATURE_BLOCK_SIZE};
}

bool vz_signature_write(int file, uint64_t base, vz_error *err)
{
    uint8_t block[VZ_SIGNATURE_BLOCK_SIZE];
    const vz_bytes bytes = vz_signature_print(VZ_SIGNATURE_STORE, block);
    if (!vz_signature_is_base(base))
        return vz_fail(err, VZ_INVALID, "a user block of %llu bytes: none, or 512 times a power of two",
                       (unsigned long long)base);
    return vz_os_file_write(file, base, bytes.data, bytes.size, err);
}
