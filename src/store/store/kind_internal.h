/* kind_internal.h - redirect files read; the table of kinds. */
#ifndef VZ_STORE_KIND_INTERNAL_H
#define VZ_STORE_KIND_INTERNAL_H

#include "store/store/kind.h"

/* -- Redirect --
 * redirect files: small files that HDF5 programs take for HDF5 files, and that name a store. Behind
 * the header (kind.h) stands one line of JSON: {"store": "name"}, of a remote store with "options",
 * too. */
#define VZ_REDIRECT_MAX 4096 /* bytes of the whole file */

/* Reads an open redirect file of `size` bytes; vz_redirect_content_clear the content in any
 * case. */
bool vz_redirect_read(int file, uint64_t size, const vz_signature *header, vz_redirect_content *word, vz_error *err);
void vz_redirect_content_clear(vz_redirect_content *word);

/* Where a name in a redirect file of that directory (absolute, without links) leads. The answer is
 * absolute, without links as far as there is something; the caller's to free. Not of a remote one.
 * VZ_PERMISSION: not below the directory, and that is not allowed. */
char *vz_redirect_resolve(const char *directory, const char *name, vz_error *err);

/* The table that was set; NULL ends. */
const vz_store_kind *const *vz_store_get_kinds(void);

/* -- Pipeline -- a name of ZEP 8. */
typedef struct vz_location_pipeline {
    char *base;                /* what the path says before its first adapter; NULL: it has none,
                                * or something has that very name */
    const vz_store_kind *kind; /* of the store that is meant in it, and what the name says of it;
                                * NULL: none */
    char *word;
    char *inside; /* the path that goes on in the store */
} vz_location_pipeline;

/* Clear it in any case. */
bool vz_location_pipeline_split(const char *path, vz_location_pipeline *pipeline, vz_error *err);
/* The first adapter of a name, with the bar before it, whatever has that very name; NULL: none. */
const char *vz_location_pipeline_find(const char *name);
/* Of a name that begins with an adapter. */
bool vz_location_pipeline_parse(const char *name, vz_location_pipeline *pipeline, vz_error *err);
void vz_location_pipeline_clear(vz_location_pipeline *pipeline);

/* As vz_location_find_named, for a path without adapters. */
bool vz_location_find_plain(const char *path, const vz_named *named, vz_location *location, vz_error *err);

#endif
