/* vfd_byte_source.c - a file behind a driver of HDF5 as a byte source. HDF5 allows one thread at
 * a time, and drivers may be written in another language. So the thread that called HDF5 reads
 * for the workers. */
#include "hdf5/native/native.h"
#include "hdf5/h5/h5.h"
#include "base/os/thread.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct driver_source {
    vz_byte_source base;
    H5FD_t *file;
    uint64_t size; /* of the file as it is used: a driver's own end may lie beyond */
    haddr_t end;   /* that one, when the file was opened, written or cut off here */
    struct driver_source *next;
} driver_source;

/* HDF5 makes one call at a time. */
static driver_source *open_sources;
static uint64_t last_number;

bool vz_driver_is_in_use(void)
{
    return open_sources != NULL;
}

/* ---- which driver a list names ---- */

/* Drivers have no numbers that are the same in every HDF5: a list on which one was set shows the
 * number. */
static hid_t driver_set_by(herr_t (*set)(hid_t list))
{
    const hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    hid_t driver = H5I_INVALID_HID;
    if (list < 0)
        return driver;
    if (set(list) >= 0)
        driver = H5Pget_driver(list);
    H5Pclose(list);
    return driver;
}

static herr_t set_sec2(hid_t list)
{
    return H5Pset_fapl_sec2(list);
}

static herr_t set_stdio(hid_t list)
{
    return H5Pset_fapl_stdio(list);
}

static herr_t set_log(hid_t list)
{
    return H5Pset_fapl_log(list, NULL, 0, 0);
}

static herr_t set_core(hid_t list)
{
    return H5Pset_fapl_core(list, 1 << 16, false);
}

static herr_t set_family(hid_t list)
{
    return H5Pset_fapl_family(list, H5F_FAMILY_DEFAULT, H5P_DEFAULT);
}

static herr_t set_multi(hid_t list)
{
    return H5Pset_fapl_multi(list, NULL, NULL, NULL, NULL, true);
}

/* Asked at each create and open, so once for each start of HDF5. */
static hid_t usual_driver(void)
{
    static hid_t driver;
    static unsigned start;
    if (!vz_native_starts())
        return driver_set_by(set_sec2);
    if (start != vz_native_starts())
        driver = driver_set_by(set_sec2);
    start = driver >= 0 ? vz_native_starts() : 0;
    return driver;
}

static bool is_of_several(hid_t driver)
{
    return driver == driver_set_by(set_family) || driver == driver_set_by(set_multi);
}

static bool is_parallel(hid_t driver)
{
    unsigned long features = 0;
    return H5FDdriver_query(driver, &features) < 0 || (features & H5FD_FEAT_HAS_MPI) != 0;
}

static vz_driver_kind kind_of(hid_t fapl)
{
    const hid_t driver = H5Pget_driver(fapl);
    if (vz_image_is_there(fapl)) /* it takes the place of the file */
        return VZ_DRIVER_BYTES;
    if (driver == usual_driver())
        return VZ_DRIVER_USUAL;
    if (driver == driver_set_by(set_stdio) || driver == driver_set_by(set_log))
        return VZ_DRIVER_NAMED;
    if (driver >= 0 && is_parallel(driver))
        return VZ_DRIVER_RANKS;
    return driver < 0 || is_of_several(driver) ? VZ_DRIVER_NONE : VZ_DRIVER_BYTES;
}

vz_driver_kind vz_driver_kind_of(hid_t fapl)
{
    return VZ_H5_QUIETLY(kind_of(fapl));
}

bool vz_driver_opens_names(hid_t fapl)
{
    return VZ_H5_QUIETLY(!vz_image_is_there(fapl) &&
                         (kind_of(fapl) != VZ_DRIVER_BYTES || H5Pget_driver(fapl) == driver_set_by(set_core)));
}

/* ---- bytes ---- */

#define TEXT_SIZE 200

static herr_t innermost(unsigned n, const H5E_error2_t *record, void *text)
{
    (void)n;
    snprintf(text, TEXT_SIZE, "%s", record->desc ? record->desc : "");
    return 1;
}

static bool fail(const char *what, vz_error *err)
{
    char text[TEXT_SIZE] = "";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, text);
    return vz_fail(err, VZ_IO, "the file driver cannot %s%s%s", what, *text ? ": " : "", text);
}

/* An address beyond what was said to be in use is an error to HDF5. */
static bool use_up_to(driver_source *m, uint64_t end)
{
    const haddr_t now = H5FDget_eoa(m->file, H5FD_MEM_DRAW);
    return (now != HADDR_UNDEF && now >= end) || H5FDset_eoa(m->file, H5FD_MEM_DRAW, end) >= 0;
}

static bool read_now(driver_source *m, uint64_t offset, void *data, size_t size)
{
    return use_up_to(m, offset + size) && H5FDread(m->file, H5FD_MEM_DRAW, H5P_DEFAULT, offset, size, data) >= 0;
}

static bool write_now(driver_source *m, uint64_t offset, const void *data, size_t size)
{
    return use_up_to(m, offset + size) && H5FDwrite(m->file, H5FD_MEM_DRAW, H5P_DEFAULT, offset, size, data) >= 0;
}

typedef struct reading {
    driver_source *source;
    uint64_t offset;
    void *data;
    size_t size;
    bool ok;
    vz_error error;
} reading;

static void read_for_worker(void *argument)
{
    reading *r = argument;
    r->ok = VZ_H5_QUIETLY(read_now(r->source, r->offset, r->data, r->size));
    if (!r->ok)
        fail("read", &r->error);
}

static bool driver_read(vz_byte_source *source, uint64_t offset, void *data, size_t size, vz_error *err)
{
    driver_source *m = (driver_source *)source;
    if (offset > m->size || size > m->size - offset)
        return vz_fail(err, VZ_CORRUPT, "ends %llu bytes early",
                       (unsigned long long)(offset > m->size ? size : size - (m->size - offset)));
    reading r = {.source = m, .offset = offset, .data = data, .size = size, .error = VZ_ERROR_NONE};
    vz_pool_on_caller(read_for_worker, &r);
    if (!r.ok && err && err->class == VZ_OK)
        *err = r.error;
    return r.ok;
}

static haddr_t end_now(const driver_source *m)
{
    return H5FDget_eof(m->file, H5FD_MEM_DRAW);
}

/* Where the driver's end is another one than it was left at, somebody else changed the file. */
static bool driver_size(vz_byte_source *source, uint64_t *size, vz_error *err)
{
    driver_source *m = (driver_source *)source;
    const haddr_t end = VZ_H5_QUIETLY(end_now(m));
    if (end == HADDR_UNDEF)
        return fail("tell the size of the file", err);
    if (end != m->end)
        m->size = m->end = end;
    *size = m->size;
    return true;
}

static bool driver_write(vz_byte_source *source, uint64_t offset, const void *data, size_t size, vz_error *err)
{
    driver_source *m = (driver_source *)source;
    if (!VZ_H5_QUIETLY(write_now(m, offset, data, size)))
        return fail("write", err);
    if (offset + size > m->size)
        m->size = offset + size;
    m->end = VZ_H5_QUIETLY(end_now(m));
    return true;
}

/* As at the close of an HDF5 file: else the driver of memory keeps the file at a round size. */
static bool driver_truncate(vz_byte_source *source, uint64_t size, vz_error *err)
{
    driver_source *m = (driver_source *)source;
    if (!VZ_H5_QUIETLY(H5FDset_eoa(m->file, H5FD_MEM_DRAW, size) >= 0 && H5FDtruncate(m->file, H5P_DEFAULT, true) >= 0))
        return fail("truncate", err);
    m->size = size;
    m->end = VZ_H5_QUIETLY(end_now(m));
    return true;
}

static bool driver_flush(vz_byte_source *source, vz_error *err)
{
    return VZ_H5_QUIETLY(H5FDflush(((driver_source *)source)->file, H5P_DEFAULT, false)) >= 0 || fail("flush", err);
}

static bool driver_close(vz_byte_source *source, vz_error *err)
{
    driver_source *m = (driver_source *)source;
    for (driver_source **at = &open_sources; *at; at = &(*at)->next)
        if (*at == m) {
            *at = m->next;
            break;
        }
    const bool ok = VZ_H5_QUIETLY(H5FDclose(m->file)) >= 0 || fail("close", err);
    free(m);
    return ok;
}

/* ---- opening ---- */

static const vz_byte_source_class reading_class = {.read = driver_read, .size = driver_size, .close = driver_close};
static const vz_byte_source_class writing_class = {
    .read = driver_read,
    .size = driver_size,
    .write = driver_write,
    .truncate = driver_truncate,
    .flush = driver_flush,
    .close = driver_close,
};

/* One file opened twice is one file, as the driver sees it. */
static vz_identity identity_of(const driver_source *m)
{
    for (const driver_source *other = open_sources; other; other = other->next)
        if (H5FDcmp(other->file, m->file) == 0)
            return other->base.identity;
    return (vz_identity){{UINT64_MAX, ++last_number}}; /* no device has that number */
}

static bool learn_size(driver_source *m)
{
    const haddr_t end = H5FDget_eof(m->file, H5FD_MEM_DRAW);
    m->size = m->end = end;
    return end != HADDR_UNDEF && use_up_to(m, end);
}

/* Several files behind one driver are no zip file, and what more than one of them is for is
 * HDF5's. */
static bool has_one_file(const driver_source *m)
{
    switch (m->file->cls->value) {
    case H5_VFD_FAMILY:
    case H5_VFD_MULTI:
    case H5_VFD_SPLITTER:
    case H5_VFD_MIRROR:
    case H5_VFD_SUBFILING:
    case H5_VFD_IOC:
    case H5_VFD_ONION:
        return false;
    default:
        return true;
    }
}

static bool open_file(driver_source *m, const char *name, unsigned flags, hid_t fapl, vz_error *err)
{
    m->file = H5FDopen(name, flags, fapl, HADDR_UNDEF);
    if (!m->file)
        return fail("open the file", err);
    const bool suits = has_one_file(m);
    if (suits && learn_size(m)) {
        m->base.in_memory = m->file->cls->value == H5_VFD_CORE;
        if (H5FDget_vfd_handle(m->file, fapl, &m->base.handle) < 0)
            m->base.handle = NULL;
        m->base.identity = identity_of(m);
        return true;
    }
    if (suits)
        fail("tell the size of the file", err);
    else
        vz_fail(err, VZ_UNSUPPORTED, "a store behind the file driver \"%s\"", m->file->cls->name);
    H5FDclose(m->file);
    return false;
}

vz_byte_source *vz_driver_open(const char *name, unsigned flags, hid_t fapl, vz_error *err)
{
    const vz_driver_kind kind = vz_driver_kind_of(fapl);
    if (kind == VZ_DRIVER_NONE || kind == VZ_DRIVER_RANKS) {
        vz_fail(err, VZ_UNSUPPORTED, "a store behind this file driver");
        return NULL;
    }
    driver_source *m = calloc(1, sizeof *m);
    if (!m) {
        vz_fail_memory(err);
        return NULL;
    }
    m->base.class = flags & H5F_ACC_RDWR ? &writing_class : &reading_class;
    if (!VZ_H5_QUIETLY(open_file(m, name, flags, fapl, err))) {
        free(m);
        return NULL;
    }
    m->next = open_sources;
    open_sources = m;
    return &m->base;
}
