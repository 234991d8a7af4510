/* convert.h - all that is in one HDF5 file or Zarr store, written anew as another. The HDF5 library was loaded before
 * (hdf5_library.h); both sides are opened through it, stores by our own connector, files by HDF5's. */
#ifndef VZ_CONVERT_CONVERT_H
#define VZ_CONVERT_CONVERT_H

#include "base/util/error.h"
#include <stdint.h>

/* Who is told how far it is. Every function may be NULL. */
typedef struct vz_convert_watch {
    void *context;
    void (*begin)(void *context, const char *what, uint64_t bytes); /* "copying": elements of so many bytes */
    void (*done)(void *context, uint64_t bytes);
    void (*end)(void *context);
    void (*note)(void *context, const char *object, const char *text); /* something that is not as it was */
} vz_convert_watch;

typedef struct vz_convert_side {
    const char *path;
    const char *shown;   /* what people call it; NULL: the path */
    bool is_store;       /* else an HDF5 file */
    const char *options; /* of the connector; NULL: none */
} vz_convert_side;

typedef struct vz_convert_request {
    vz_convert_side source, target; /* the target is not there yet */
    const char *plugin;             /* directory of the connector's plugin */
    const char *chunks;             /* of all datasets, or "PATTERN:N,N;..." (chunk_options.h); NULL: as they are */
    const char *compress;           /* auto, none, zlib, zstd, blosc; NULL: as it is */
    uint64_t memory;                /* bytes for elements under way */
    vz_convert_watch watch;
} vz_convert_request;

/* What was met, for people. */
typedef struct vz_convert_counts {
    uint64_t groups, datasets, types, attributes, links, references;
    uint64_t lost_references; /* led nowhere */
    uint64_t raw_chunks;      /* copied as they were stored */
    uint64_t bytes;           /* of elements */
    bool created;             /* the target is there, by us */
} vz_convert_counts;

/* Registers the connector. To be called once after the library was loaded. */
bool vz_convert_register(const char *plugin, vz_error *err);
/* Creates the target and copies all objects, links, attributes and elements. On failure what was begun of the target is
 * closed, and the caller's to remove. */
bool vz_convert_copy(const vz_convert_request *request, vz_convert_counts *counts, vz_error *err);
/* Counts what a copy would do, and reads nothing of any dataset. */
bool vz_convert_survey(const vz_convert_request *request, vz_convert_counts *counts, vz_error *err);
/* Opens both and compares every object, link, type, attribute, value and reference, which may lead to the same path.
 * False with err set, class VZ_CHANGED: they differ, and err tells where first. */
bool vz_convert_verify(const vz_convert_request *request, vz_convert_counts *counts, vz_error *err);

#endif
