/* remote_internal.h - HDF5 files on servers and in buckets: a file driver over a byte source, and
 * where the names in such files lead. HDF5 itself reads the files; it never gets a file of this
 * machine for a name in them. */
#ifndef VZ_NATIVE_REMOTE_INTERNAL_H
#define VZ_NATIVE_REMOTE_INTERNAL_H

#include "hdf5/native/wrap_internal.h"
#include "array/numeric/numeric.h"
#include "hierarchy/resolve/path.h"

/* -- Remote file -- */
/* One file as it was met: open HDF5 files and access lists share it. */
typedef struct vz_native_remote {
    vz_byte_source *source;
    uint64_t size;
    char *name;          /* whole: names in the file count from its directory. No message has it */
    vz_options options;  /* with which it was opened */
    vz_options asked_as; /* with which the server is asked */
    uint64_t number, by; /* its own, and that of the file that names it; 0: the program does */
    char *missing;       /* whole name in it that led nowhere a moment ago; or NULL */
    int64_t missing_ns;  /* when */
    size_t users;
    struct vz_native_remote *next;
} vz_native_remote;

/* The file of `found`, which loses it. `by`: the file that names it; NULL: the program. NULL with
 * err set. */
vz_native_remote *vz_native_remote_new(vz_path_result *found, const vz_options *options, const vz_native_remote *by,
                                       vz_error *err);
/* An open one that the file names by that whole name, once more; NULL: none. */
vz_native_remote *vz_native_remote_known(const vz_native_remote *from, const char *whole);
void vz_native_remote_release(vz_native_remote *remote);

vz_native_remote *vz_native_remote_hold(vz_native_remote *remote);

/* -- Remote driver -- */
/* The driver info of an access list. HDF5 copies it. */
typedef struct vz_native_remote_info {
    vz_native_remote *remote;
    bool by_name; /* the name that is opened stands in that file; false: it is that file */
} vz_native_remote_info;

/* Makes the list one of the driver. */
bool vz_native_remote_use(hid_t fapl, vz_native_remote *remote, bool by_name);
/* Is it one of the driver? */
bool vz_native_remote_is_used(hid_t fapl);
/* An open file by the name with which HDF5 opened it; borrowed. NULL: it is none of the driver. */
vz_native_remote *vz_native_remote_called(const char *name);

/* remote_names.c: what a name in a file leads to, as the policy lets it; the caller's. NULL: it is
 * not there, or *why says why it may not, or cannot, be read. */
vz_native_remote *vz_native_remote_follow(vz_native_remote *from, const char *name, vz_error *why);
vz_named vz_native_remote_named(const vz_native_remote *remote, const char *name);

/* -- Remote hints -- remote_hints.c */
#define VZ_NATIVE_HINTS_MAX 512

/* The chunks that are read as soon as their index was read. */
typedef struct vz_native_wanted {
    const struct vz_native_chunks *chunks;
    uint64_t first, last, count; /* numbers of the first and the last one; how many */
} vz_native_wanted;

typedef struct vz_native_hints {
    uint64_t base, file_size;
    size_t key_size;                /* of a node */
    const vz_native_wanted *wanted; /* NULL: no chunks are */
    vz_byte_read reads[VZ_NATIVE_HINTS_MAX];
    size_t count;
} vz_native_hints;

/* Places that HDF5 probably reads after this node of a B-tree or symbol table; none of anything
 * else. `base`, `file_size` and `wanted` are the caller's. */
void vz_native_hints_find(vz_native_hints *hints, const uint8_t *node, size_t size);
/* remote_guess.c: adds places of chunks to those of the leaves that a node of their B-tree
 * names. */
void vz_native_guess_chunks(vz_native_hints *hints, const uint8_t *node, size_t size);
/* remote_driver.c: nodes that are read from now on are of the index of these chunks; NULL: not any
 * more. Borrowed. */
void vz_native_remote_want(const vz_native_wanted *wanted);

/* -- Remote elements -- */
/* Sources of a virtual dataset that are held open, so that HDF5 reads what was checked. */
typedef struct vz_native_held_source {
    hid_t file;    /* H5I_INVALID_HID: that of the dataset */
    void *dataset; /* NULL: there is none */
} vz_native_held_source;

/* A chunk, by its number in the order in which elements are read. */
typedef struct vz_native_place {
    uint64_t number, address;
    size_t size;
} vz_native_place;

typedef struct vz_native_chunks {
    int rank; /* 0: no chunks */
    hsize_t extent[H5S_MAX_RANK], chunk[H5S_MAX_RANK], grid[H5S_MAX_RANK];
    bool are_places_known;
    bool are_masked;         /* a chunk did not pass all filters */
    vz_native_place *places; /* of all chunks, sorted */
    size_t place_count;
} vz_native_chunks;

typedef struct vz_native_array vz_native_array;

typedef struct vz_native_elements {
    void (*release)(struct vz_native_elements *elements); /* NULL: nothing was looked at */
    bool is_checked;
    vz_native_held_source *held;
    size_t count, capacity;
    vz_native_chunks *chunks; /* NULL: nobody looked yet */
    vz_native_array *array;   /* of them; NULL: none, or nobody looked yet */
    bool is_array_known;
} vz_native_elements;

/* Before elements are read: does HDF5 find them in files that it may read? External storage is
 * refused, also behind virtual datasets. */
bool vz_native_remote_check(vz_object *dataset, vz_error *err);
/* The bytes of the file that a native dataset is in; borrowed. NULL: it is no remote one. */
vz_byte_source *vz_native_remote_source(void *dataset);
/* remote_chunks.c: tells the source of the bytes which chunks are read next. Of a dataset that was
 * checked. */
void vz_native_remote_expect(vz_object *dataset, hid_t file_space);

/* The chunks of a dataset that was checked, if a selection reaches into several of them, with their
 * places. `is_dense`: it takes much of the box around it. NULL: it does not, or they are not
 * known. */
const vz_native_chunks *vz_native_remote_places(vz_object *dataset, hid_t file_space, bool is_dense);
/* -- Remote array -- remote_array.c: a dataset's chunks as those of an array, which workers decode
 * without HDF5. */
struct vz_native_array {
    struct vz_store *store; /* of its chunks */
    struct vz_meta *meta;
    struct vz_array *array;
    hid_t type; /* of elements in the file */
    vz_number_format number;
    bool is_number;
    bool is_sparse; /* there are chunks that nobody wrote */
};

/* The number of a chunk, by its place in the grid, among all of the grid. */
uint64_t vz_native_chunk_number(const vz_native_chunks *chunks, const uint64_t *at);
void vz_native_places_sort(vz_native_chunks *chunks);

/* Borrows the source and the chunks. NULL: HDF5 must read it, as not all filters are known, or
 * elements are more than their bytes. */
vz_native_array *vz_native_array_new(vz_object *dataset, vz_byte_source *source, const vz_native_chunks *chunks);
void vz_native_array_free(vz_native_array *array); /* NULL is fine */

/* remote_read.c: reads elements of a dataset that was checked. False: nothing was read that counts,
 * and HDF5 is to read them, or to say what is wrong. */
bool vz_native_remote_read(vz_object *dataset, const vz_h5_datasets_call *call);

#endif
