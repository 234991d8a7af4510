/* zip_io.c - the bytes of a zip file, behind a descriptor or a byte source. */
#include "base/os/file.h"
#include "store/zip/state_internal.h"
#include <errno.h>

bool vz_zip_read(const vz_zip *zip, uint64_t offset, void *data, size_t size, vz_error *err)
{
    return zip->file < 0 ? vz_byte_source_read(zip->source, offset, data, size, err)
                         : vz_os_file_read(zip->file, offset, data, size, err);
}

bool vz_zip_write(vz_zip *zip, uint64_t offset, const void *data, size_t size, vz_error *err)
{
    return zip->file < 0 ? vz_byte_source_write(zip->source, offset, data, size, err)
                         : vz_os_file_write(zip->file, offset, data, size, err);
}

bool vz_zip_write_slot(vz_zip *zip, const vz_zip_slot *slot, vz_error *err)
{
    uint8_t bytes[VZ_SIGNATURE_SLOT_SIZE];
    vz_zip_slot_print(slot, bytes);
    return vz_zip_write(zip, vz_signature_slot(zip->header.base, (unsigned)(slot->sequence % VZ_SIGNATURE_SLOTS)),
                        bytes, sizeof bytes, err);
}

bool vz_zip_cut(vz_zip *zip, uint64_t size, vz_error *err)
{
    if (zip->file < 0 && !vz_byte_source_truncate(zip->source, size, err))
        return false;
    while (zip->file >= 0 && vz_os_ftruncate(zip->file, (off_t)size) != 0)
        if (errno != EINTR)
            return vz_fail_errno(err, errno, "cannot cut off the zip file");
    zip->size = size;
    return true;
}

/* Brings written bytes to their place. A byte source in memory is brought as a whole later, so
 * parts of it need no order. */
bool vz_zip_write_barrier(vz_zip *zip, vz_error *err)
{
    if (zip->file >= 0)
        return vz_os_file_sync(zip->file, false, err);
    return zip->source->in_memory || vz_byte_source_flush(zip->source, err);
}
