/* memory_driver.c - a file in memory, in blocks that exist once something was written to them.
 * Space is never given back: what is freed in the gateway is the header of a twin that was made
 * anew. */
#include "hdf5/native/native_internal.h"
#include "hdf5/native/native.h"
#include "base/util/hash.h"
#include "hierarchy/nodes/node.h"
#include <stdlib.h>
#include <string.h>

#define BLOCK VZ_TOKEN_STEP      /* a header at a token has a block of its own */
#define END   ((haddr_t)3 << 61) /* of the file, once there is something in it */
#define LIMIT ((haddr_t)1 << 63) /* above the end HDF5 has addresses of its own */
/* one of those for testing: nobody asks for a driver by value here */
#define DRIVER_VALUE ((H5FD_class_value_t)511)

typedef struct memory {
    H5FD_t base;      /* first: HDF5's own */
    vz_nummap blocks; /* by address */
    haddr_t end;      /* of what lies where there was room */
    haddr_t heap_end; /* of global heaps: above the addresses of other files, whose region
                       * references lead nowhere here */
} memory;

static haddr_t next_header; /* 0: none asked for */

void vz_driver_memory_place(uint64_t address)
{
    next_header = address;
}

bool vz_driver_memory_placed(void)
{
    return next_header == 0;
}

/* ---- blocks ---- */

/* NULL: nothing is there (or, making, no memory). */
static uint8_t *block_at(memory *m, haddr_t address, bool make)
{
    void **place = make ? vz_nummap_put(&m->blocks, address, NULL) : vz_nummap_find(&m->blocks, address);
    if (place && !*place && make)
        *place = calloc(1, BLOCK);
    return place ? *place : NULL;
}

/* ---- the driver ---- */

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t fapl, haddr_t limit)
{
    (void)name, (void)flags, (void)fapl, (void)limit;
    memory *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->heap_end = VZ_GATEWAY_HEAP;
    return &m->base;
}

static herr_t driver_close(H5FD_t *file)
{
    memory *m = (memory *)file;
    size_t cursor = 0;
    void *bytes;
    while (vz_nummap_next(&m->blocks, &cursor, &bytes))
        free(bytes);
    vz_nummap_clear(&m->blocks);
    free(m);
    return 0;
}

static herr_t driver_query(const H5FD_t *file, unsigned long *flags)
{
    (void)file;
    *flags = 0; /* no aggregation: every header is asked for by itself */
    return 0;
}

static haddr_t driver_alloc(H5FD_t *file, H5FD_mem_t type, hid_t dxpl, hsize_t size)
{
    (void)dxpl;
    memory *m = (memory *)file;
    if (next_header && type == H5FD_MEM_OHDR && size <= BLOCK) {
        const haddr_t address = next_header;
        next_header = 0;
        return address;
    }
    haddr_t *end = type == H5FD_MEM_DRAW || type == H5FD_MEM_GHEAP ? &m->heap_end : &m->end;
    const haddr_t address = *end;
    *end += (size + 7) / 8 * 8;
    return address;
}

/* HDF5 needs an empty file at first, and later an end beyond everything that it reads. */
static haddr_t driver_end(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return ((const memory *)file)->end ? END : 0;
}

static herr_t driver_set_end(H5FD_t *file, H5FD_mem_t type, haddr_t address)
{
    (void)file, (void)type, (void)address;
    return 0;
}

static herr_t driver_read(H5FD_t *file, H5FD_mem_t type, hid_t dxpl, haddr_t address, size_t size, void *buffer)
{
    (void)type, (void)dxpl;
    for (uint8_t *out = buffer; size > 0;) {
        const size_t at = address % BLOCK, part = size < BLOCK - at ? size : BLOCK - at;
        const uint8_t *bytes = block_at((memory *)file, address - at, false);
        if (bytes)
            memcpy(out, bytes + at, part);
        else
            memset(out, 0, part);
        out += part, address += part, size -= part;
    }
    return 0;
}

static herr_t driver_write(H5FD_t *file, H5FD_mem_t type, hid_t dxpl, haddr_t address, size_t size, const void *buffer)
{
    (void)type, (void)dxpl;
    for (const uint8_t *in = buffer; size > 0;) {
        const size_t at = address % BLOCK, part = size < BLOCK - at ? size : BLOCK - at;
        uint8_t *bytes = block_at((memory *)file, address - at, true);
        if (!bytes)
            return -1;
        memcpy(bytes + at, in, part);
        in += part, address += part, size -= part;
    }
    return 0;
}

hid_t vz_driver_memory_register(void)
{
    static const H5FD_class_t class = {
        .version = H5FD_CLASS_VERSION,
        .value = DRIVER_VALUE,
        .name = "vol-zarr gateway",
        .maxaddr = LIMIT - 1,
        .fc_degree = H5F_CLOSE_WEAK,
        .open = driver_open,
        .close = driver_close,
        .query = driver_query,
        .alloc = driver_alloc,
        .get_eoa = driver_end,
        .set_eoa = driver_set_end,
        .get_eof = driver_end,
        .read = driver_read,
        .write = driver_write,
        .fl_map = H5FD_FLMAP_SINGLE,
    };
    return H5FDregister(&class);
}
