/* byte_source.c - the bytes of a file, whoever has them. */
#include "store/store/kind.h"
#include "base/os/file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>

bool vz_medium_read(vz_medium *medium, uint64_t offset, void *data, size_t size, vz_error *err)
{
    return size == 0 || medium->class->read(medium, offset, data, size, err);
}

bool vz_medium_size(vz_medium *medium, uint64_t *size, vz_error *err)
{
    return medium->class->size(medium, size, err);
}

static bool fail_read_only(vz_error *err)
{
    return vz_fail(err, VZ_READ_ONLY, "the file was opened for reading");
}

bool vz_medium_is_writable(const vz_medium *medium)
{
    return medium->class->write != NULL;
}

bool vz_medium_write(vz_medium *medium, uint64_t offset, const void *data, size_t size, vz_error *err)
{
    if (!medium->class->write)
        return fail_read_only(err);
    return size == 0 || medium->class->write(medium, offset, data, size, err);
}

bool vz_medium_truncate(vz_medium *medium, uint64_t size, vz_error *err)
{
    return medium->class->truncate ? medium->class->truncate(medium, size, err) : fail_read_only(err);
}

bool vz_medium_flush(vz_medium *medium, vz_error *err)
{
    return !medium->class->flush || medium->class->flush(medium, err);
}

int vz_medium_open_scratch(const vz_medium *medium, vz_error *err)
{
    const char *place = getenv("TMPDIR");
    int file = -1;
    if (!medium->in_memory)
        file = open(place && *place ? place : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0)
        file = memfd_create("vol-zarr", MFD_CLOEXEC);
    if (file < 0)
        vz_fail_errno(err, errno, "cannot make a temporary file");
    return file;
}

bool vz_medium_close(vz_medium *medium, vz_error *err)
{
    return !medium || medium->class->close(medium, err);
}

/* ---- what a descriptor leads to ---- */

static bool file_read(vz_medium *medium, uint64_t offset, void *data, size_t size, vz_error *err)
{
    return vz_file_read(medium->file, offset, data, size, err);
}

static const vz_medium_class file_class = {.read = file_read};

vz_medium vz_medium_over_file(int file)
{
    return (vz_medium){.class = &file_class, .file = file};
}

int vz_medium_file(const vz_medium *medium)
{
    return medium->class == &file_class ? medium->file : -1;
}
