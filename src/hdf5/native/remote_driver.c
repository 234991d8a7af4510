/* remote_driver.c - the file driver under HDF5 files that are not in the file system. It reads. */
#include "hdf5/native/remote_internal.h"
#include <stdlib.h>

#define MAX_ADDRESS ((haddr_t)INT64_MAX)
/* one of those for testing, as that of the gateway */
#define DRIVER_VALUE ((H5FD_class_value_t)510)

typedef struct remote_file {
    H5FD_t base; /* first: HDF5's own */
    vz_native_remote *remote;
    char *opened_as;
    haddr_t end;
    struct remote_file *next;
} remote_file;

/* HDF5 makes one call at a time. */
static remote_file *open_files;

/* ---- lists ---- */

vz_native_remote *vz_native_remote_called(const char *name)
{
    for (remote_file *file = open_files; file; file = file->next)
        if (strcmp(file->opened_as, name) == 0)
            return file->remote;
    return NULL;
}

static void *copy_info(const void *info)
{
    vz_native_remote_info *copy = calloc(1, sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *(const vz_native_remote_info *)info;
    vz_native_remote_hold(copy->remote);
    return copy;
}

static herr_t free_info(void *info)
{
    vz_native_remote_release(((vz_native_remote_info *)info)->remote);
    free(info);
    return 0;
}

/* Other files are opened with it only because this one names them. */
static void *get_info(H5FD_t *file)
{
    const vz_native_remote_info info = {((remote_file *)file)->remote, true};
    return copy_info(&info);
}

/* ---- opening ---- */

static H5FD_t *open_remote(vz_native_remote *remote, const char *name)
{
    remote_file *file = calloc(1, sizeof *file);
    if (!file || !(file->opened_as = strdup(name))) {
        free(file);
        vz_native_remote_release(remote);
        return NULL;
    }
    file->remote = remote;
    file->next = open_files;
    open_files = file;
    return &file->base;
}

static vz_native_remote *follow(vz_native_remote *from, const char *name)
{
    vz_error why = VZ_ERROR_NONE;
    vz_native_remote *remote = vz_native_remote_follow(from, name, &why);
    if (remote)
        vz_native_is_noted = false; /* a place where HDF5 looked before */
    else
        vz_native_note(&why);
    return remote;
}

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t fapl, haddr_t limit)
{
    (void)limit;
    const vz_native_remote_info *info = H5Pget_driver_info(fapl);
    vz_error why = VZ_ERROR_NONE;
    if (!info)
        return NULL;
    if (flags & (H5F_ACC_RDWR | H5F_ACC_CREAT | H5F_ACC_TRUNC)) {
        vz_error_set(&why, VZ_READ_ONLY, "an HDF5 file on a server can only be read");
        vz_native_note(&why);
        return NULL;
    }
    vz_native_remote *remote = info->by_name ? follow(info->remote, name) : vz_native_remote_hold(info->remote);
    return remote ? open_remote(remote, name) : NULL;
}

static herr_t driver_close(H5FD_t *base)
{
    remote_file *file = (remote_file *)base;
    for (remote_file **at = &open_files; *at; at = &(*at)->next)
        if (*at == file) {
            *at = file->next;
            break;
        }
    vz_native_remote_release(file->remote);
    free(file->opened_as);
    free(file);
    return 0;
}

/* Another version of a file is another file. */
static int driver_compare(const H5FD_t *a, const H5FD_t *b)
{
    const vz_identity *one = &((const remote_file *)a)->remote->source->identity;
    const vz_identity *other = &((const remote_file *)b)->remote->source->identity;
    const unsigned i = one->part[0] == other->part[0];
    return one->part[i] < other->part[i] ? -1 : one->part[i] > other->part[i];
}

static herr_t driver_query(const H5FD_t *file, unsigned long *flags)
{
    (void)file;
    *flags = H5FD_FEAT_DATA_SIEVE;
    return 0;
}

/* ---- bytes ---- */

static haddr_t driver_end(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return ((const remote_file *)file)->end;
}

static herr_t driver_set_end(H5FD_t *file, H5FD_mem_t type, haddr_t address)
{
    (void)type;
    ((remote_file *)file)->end = address;
    return 0;
}

static haddr_t driver_size(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return ((const remote_file *)file)->remote->size;
}

static herr_t read_all(H5FD_t *file, const vz_byte_read *reads, size_t count)
{
    vz_error why = VZ_ERROR_NONE;
    if (vz_byte_source_read_many(((remote_file *)file)->remote->source, reads, count, &why))
        return 0;
    vz_native_note(&why);
    return -1;
}

static const vz_native_wanted *wanted_chunks;

void vz_native_remote_want(const vz_native_wanted *wanted)
{
    wanted_chunks = wanted;
}

static void give_hints(const remote_file *file, const uint8_t *node, size_t size)
{
    static vz_native_hints hints; /* HDF5 makes one call at a time */
    hints.base = file->base.base_addr;
    hints.file_size = file->remote->size;
    hints.wanted = wanted_chunks;
    vz_native_hints_find(&hints, node, size);
    if (hints.count > 1)
        vz_byte_source_read_many(file->remote->source, hints.reads, hints.count, NULL);
}

static herr_t driver_read(H5FD_t *file, H5FD_mem_t type, hid_t dxpl, haddr_t address, size_t size, void *buffer)
{
    (void)dxpl;
    const vz_byte_read read = {address, size, buffer, type != H5FD_MEM_DRAW};
    if (read_all(file, &read, 1) < 0)
        return -1;
    if (type == H5FD_MEM_BTREE)
        give_hints((remote_file *)file, buffer, size);
    return 0;
}

/* A type or size that says "as before" stands for all that follow. */
static herr_t driver_read_vector(H5FD_t *file, hid_t dxpl, uint32_t count, H5FD_mem_t types[], haddr_t addresses[],
                                 size_t sizes[], void *buffers[])
{
    (void)dxpl;
    vz_byte_read *reads = calloc((size_t)count + 1, sizeof *reads);
    H5FD_mem_t type = H5FD_MEM_DEFAULT;
    size_t size = 0;
    bool same_type = false, same_size = false;
    if (!reads)
        return -1;
    for (uint32_t i = 0; i < count; i++) {
        same_type = same_type || (i > 0 && types[i] == H5FD_MEM_NOLIST);
        same_size = same_size || (i > 0 && sizes[i] == 0);
        type = same_type ? type : types[i];
        size = same_size ? size : sizes[i];
        reads[i] = (vz_byte_read){addresses[i], size, buffers[i], type != H5FD_MEM_DRAW};
    }
    const herr_t status = read_all(file, reads, count);
    free(reads);
    return status;
}

static herr_t driver_write(H5FD_t *file, H5FD_mem_t type, hid_t dxpl, haddr_t address, size_t size, const void *buffer)
{
    (void)file, (void)type, (void)dxpl, (void)address, (void)size, (void)buffer;
    return -1;
}

static const H5FD_class_t class = {
    .version = H5FD_CLASS_VERSION,
    .value = DRIVER_VALUE,
    .name = "vol-zarr remote",
    .maxaddr = MAX_ADDRESS,
    .fc_degree = H5F_CLOSE_WEAK,
    .fapl_size = sizeof(vz_native_remote_info),
    .fapl_get = get_info,
    .fapl_copy = copy_info,
    .fapl_free = free_info,
    .open = driver_open,
    .close = driver_close,
    .cmp = driver_compare,
    .query = driver_query,
    .get_eoa = driver_end,
    .set_eoa = driver_set_end,
    .get_eof = driver_size,
    .read = driver_read,
    .write = driver_write,
    .read_vector = driver_read_vector,
    .fl_map = H5FD_FLMAP_SINGLE,
};

/* ---- access lists ---- */

bool vz_native_remote_use(hid_t fapl, vz_native_remote *remote, bool by_name)
{
    const vz_native_remote_info info = {remote, by_name};
    if (vz_native.remote_driver <= 0)
        vz_native.remote_driver = H5FDregister(&class);
    return vz_native.remote_driver > 0 && H5Pset_driver(fapl, vz_native.remote_driver, &info) >= 0;
}

bool vz_native_remote_is_used(hid_t fapl)
{
    return vz_native.remote_driver > 0 && H5Pget_driver(fapl) == vz_native.remote_driver;
}
