/* file_image.c - see native.h. The address of the image is read from the list itself:
 * H5Pget_file_image copies the image, which the callbacks of H5LTopen_file_image refuse. */
#include "hdf5/native/native.h"
#include "hdf5/h5/h5.h"
#include <stdlib.h>

#define PROPERTY "file_image_info"

/* The value of that property of lists. Its size is compared, in case a later HDF5 stores
 * something else there. */
typedef struct image_info {
    void *buffer;
    size_t size;
    H5FD_file_image_callbacks_t callbacks;
} image_info;

typedef struct image_source {
    vz_byte_source base;
    image_info info;
} image_source;

static bool image_read(vz_byte_source *source, uint64_t offset, void *data, size_t size, vz_error *err)
{
    const image_info *info = &((image_source *)source)->info;
    if (offset > info->size || size > info->size - offset)
        return vz_fail(err, VZ_CORRUPT, "the image ends early, after %zu bytes", info->size);
    memcpy(data, (const uint8_t *)info->buffer + offset, size);
    return true;
}

static bool image_size(vz_byte_source *source, uint64_t *size, vz_error *err)
{
    (void)err;
    *size = ((image_source *)source)->info.size;
    return true;
}

/* As HDF5 does it for a list's image. */
static bool release(image_info *info)
{
    const H5FD_file_image_callbacks_t *calls = &info->callbacks;
    bool ok = true;
    if (info->buffer && calls->image_free)
        ok = calls->image_free(info->buffer, H5FD_FILE_IMAGE_OP_PROPERTY_LIST_CLOSE, calls->udata) >= 0;
    else if (info->buffer)
        H5free_memory(info->buffer);
    if (calls->udata && calls->udata_free)
        ok = calls->udata_free(calls->udata) >= 0 && ok;
    return ok;
}

static bool image_close(vz_byte_source *source, vz_error *err)
{
    image_source *m = (image_source *)source;
    const bool ok = release(&m->info);
    free(m);
    return ok || vz_fail(err, VZ_HDF5, "the program's callbacks cannot release the image");
}

static const vz_byte_source_class image_class = {.read = image_read, .size = image_size, .close = image_close};

bool vz_image_is_there(hid_t fapl)
{
    size_t size = 0;
    return VZ_H5_QUIETLY(H5Pget_file_image(fapl, NULL, &size) >= 0 && size > 0);
}

static bool get(hid_t fapl, image_info *info)
{
    size_t size = 0;
    return H5Pget_size(fapl, PROPERTY, &size) >= 0 && size == sizeof *info && H5Pget(fapl, PROPERTY, info) >= 0;
}

vz_byte_source *vz_image_open(hid_t fapl, vz_error *err)
{
    image_source *m = calloc(1, sizeof *m);
    if (!m) {
        vz_fail_memory(err);
        return NULL;
    }
    if (!VZ_H5_QUIETLY(get(fapl, &m->info)) || !m->info.buffer) {
        free(m);
        vz_fail(err, VZ_UNSUPPORTED, "the access list does not give the image to a second reader");
        return NULL;
    }
    m->base.class = &image_class;
    m->base.in_memory = true;
    /* as of the driver of memory */
    m->base.handle = &m->info.buffer;
    /* no device has that number */
    m->base.identity = (vz_identity){{UINT64_MAX - 1, (uintptr_t)m->info.buffer}};
    return &m->base;
}
