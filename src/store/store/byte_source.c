/* byte_source.c - the bytes of a file, whoever has them. */
#include "store/store/kind.h"
#include "base/os/file.h"
#include "base/os/process.h"
#include <errno.h>
#include <stdlib.h>

bool vz_byte_source_read(vz_byte_source *source, uint64_t offset, void *data, size_t size, vz_error *err)
{
    return size == 0 || source->class->read(source, offset, data, size, err);
}

bool vz_byte_source_read_many(vz_byte_source *source, const vz_byte_read *reads, size_t count, vz_error *err)
{
    if (source->class->read_many)
        return source->class->read_many(source, reads, count, err);
    for (size_t i = 0; i < count; i++)
        if (reads[i].data && !vz_byte_source_read(source, reads[i].offset, reads[i].data, reads[i].size, err))
            return false;
    return true;
}

bool vz_byte_source_size(vz_byte_source *source, uint64_t *size, vz_error *err)
{
    return source->class->size(source, size, err);
}

static bool fail_read_only(vz_error *err)
{
    return vz_fail(err, VZ_READ_ONLY, "the file was opened for reading");
}

bool vz_byte_source_is_writable(const vz_byte_source *source)
{
    return source->class->write != NULL;
}

bool vz_byte_source_write(vz_byte_source *source, uint64_t offset, const void *data, size_t size, vz_error *err)
{
    if (!source->class->write)
        return fail_read_only(err);
    return size == 0 || source->class->write(source, offset, data, size, err);
}

bool vz_byte_source_truncate(vz_byte_source *source, uint64_t size, vz_error *err)
{
    return source->class->truncate ? source->class->truncate(source, size, err) : fail_read_only(err);
}

bool vz_byte_source_flush(vz_byte_source *source, vz_error *err)
{
    return !source->class->flush || source->class->flush(source, err);
}

int vz_byte_source_open_scratch(const vz_byte_source *source, vz_error *err)
{
    const char *place = vz_os_environment("TMPDIR");
    int file = -1;
    if (!source->in_memory)
        file = vz_os_temp_file(place && *place ? place : "/tmp");
    if (file < 0)
        file = vz_os_memory_file();
    if (file < 0)
        vz_fail_errno(err, errno, "cannot make a temporary file");
    return file;
}

bool vz_byte_source_close(vz_byte_source *source, vz_error *err)
{
    return !source || source->class->close(source, err);
}

/* ---- what a descriptor leads to ---- */

static bool file_read(vz_byte_source *source, uint64_t offset, void *data, size_t size, vz_error *err)
{
    return vz_os_file_read(source->file, offset, data, size, err);
}

static const vz_byte_source_class file_class = {.read = file_read};

vz_byte_source vz_byte_source_over_file(int file)
{
    return (vz_byte_source){.class = &file_class, .file = file};
}

int vz_byte_source_file(const vz_byte_source *source)
{
    return source->class == &file_class ? source->file : -1;
}
