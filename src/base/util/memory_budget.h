/* memory_budget.h - limits beyond which a store is taken for hostile. They keep the cost of opening
 * and listing to a small multiple of the documents. docs/limits.md has them ("Sizes"). */
#ifndef VZ_UTIL_MEMORY_BUDGET_H
#define VZ_UTIL_MEMORY_BUDGET_H

#include <stddef.h>
#include <stdint.h>

/* ---- documents ---- */

#define VZ_JSON_MAX_DEPTH    64
#define VZ_JSON_MAX_SIZE     ((size_t)1 << 31) /* bytes of any JSON text */
#define VZ_DOCUMENT_MAX_SIZE ((size_t)1 << 30) /* bytes of a document */
/* the same on a server, which may send without end */
#define VZ_DOCUMENT_REMOTE_MAX_SIZE ((size_t)256 << 20)
#define VZ_DOCUMENT_MAX_VALUES      ((size_t)1 << 24) /* values in it: each takes some 50 bytes */
/* Of these, what the attributes of one object may take: the rest is for what else stands in its
 * document. */
#define VZ_ATTRIBUTES_MAX_SIZE   (VZ_DOCUMENT_MAX_SIZE - ((size_t)16 << 20))
#define VZ_ATTRIBUTES_MAX_VALUES (VZ_DOCUMENT_MAX_VALUES - ((size_t)1 << 17))
#define VZ_DOCUMENTS_FREE_SIZE                                                                                         \
    ((uint64_t)4 << 20)       /* bytes that the documents of any zip file may take, all together; */
#define VZ_DOCUMENTS_RATIO 64 /* beyond it, so many times the file's size (option document_ratio) */

/* ---- elements ---- */

#define VZ_DTYPE_MAX_SIZE  ((size_t)1 << 30) /* bytes of one element */
#define VZ_DTYPE_MAX_DEPTH 32
/* HDF5 takes time that grows with the square of these counts; its own files hold some thousands. */
#define VZ_DTYPE_MAX_FIELDS 8192 /* members of a compound */
#define VZ_ENUM_MAX_MEMBERS 16384
#define VZ_EXTERNAL_MAX     16384             /* files with the bytes of one dataset */
#define VZ_CHUNK_MAX_SIZE   ((size_t)1 << 34) /* bytes of one decoded chunk */
/* A larger chunk is decoded and written only if the array fills a part of it (option chunk_max):
 * what HDF5's own files hold is smaller. */
#define VZ_CHUNK_FREE_SIZE ((uint64_t)1 << 32)
/* the chunk has at most so many times the elements that the array has there */
#define VZ_CHUNK_RATIO 64
/* A fill value other than zeros may take so many bytes, or so many times its Zarr format. */
#define VZ_FILL_FREE_SIZE ((size_t)16 << 10)
#define VZ_FILL_RATIO     8
/* bytes of one that HDF5 is given; its own files hold 64 KiB */
#define VZ_FILL_SHOWN_MAX ((size_t)16 << 20)

/* Blocks of a region (a reference's, a virtual dataset's) that are not in HDF5's order, and may
 * overlap. */
#define VZ_REGION_LOOSE_MAX 1024

/* ---- nodes ---- */

#define VZ_MAX_DEPTH 512 /* groups below groups */

#endif
