/* icechunk_internal.h - the files of a repository: references, snapshots, manifests. */
#ifndef VZ_ICECHUNK_ICECHUNK_INTERNAL_H
#define VZ_ICECHUNK_ICECHUNK_INTERNAL_H

#include "base/os/thread.h"
#include "store/icechunk/flat_internal.h"
#include "store/icechunk/icechunk.h"
#include "store/kerchunk/kerchunk.h"
#include "store/store/request.h"

#define VZ_ICECHUNK_ID_SIZE      12 /* bytes of the id of a file */
#define VZ_ICECHUNK_ID_LETTERS   20 /* and of its name */
#define VZ_ICECHUNK_NODE_ID_SIZE 8
#define VZ_ICECHUNK_RANK_MAX     64   /* coordinates of a chunk */
#define VZ_ICECHUNK_NAME_MAX     1024 /* bytes of the name of a file */
#define VZ_ICECHUNK_TOLD_MAX     8    /* names of branches or tags that an error tells */

/* -- Id -- of a file, as its name has it: Crockford's base 32, with zero bits at the end. */
void vz_icechunk_id_print(const uint8_t id[VZ_ICECHUNK_ID_SIZE], char text[VZ_ICECHUNK_ID_LETTERS + 1]);
/* False: it is no id. Letters of either case. */
bool vz_icechunk_id_parse(const char *text, size_t length, uint8_t id[VZ_ICECHUNK_ID_SIZE]);

/* -- File -- a header, and a flatbuffer behind it, which may be compressed. */
#define VZ_ICECHUNK_HEADER_SIZE 39
typedef enum vz_icechunk_file_type {
    VZ_ICECHUNK_SNAPSHOT = 1,
    VZ_ICECHUNK_MANIFEST = 2,
    VZ_ICECHUNK_REPO = 6,
} vz_icechunk_file_type;

/* *is_it: the bytes begin as any file of Icechunk does. */
bool vz_icechunk_file_is(vz_bytes start);
/* The flatbuffer of the file under that key, in `content`. VZ_CORRUPT; VZ_UNSUPPORTED: an unknown
 * format version; VZ_LIMIT; VZ_NOT_FOUND: there is no such file. */
bool vz_icechunk_file_read(vz_store *below, const char *key, vz_icechunk_file_type type, vz_buffer *content,
                           vz_error *err);
bool vz_icechunk_file_unpack(vz_bytes file, vz_icechunk_file_type type, vz_buffer *content, vz_error *err);
/* Says that a field of the flatbuffer is none; always false. */
bool vz_icechunk_fail_flat(const vz_icechunk_flat *flat, vz_error *err);
/* Says in which file it was; always false. */
bool vz_icechunk_fail_in(const char *file, const vz_error *why, vz_error *err);

/* -- Ref -- the snapshot that is meant. */
typedef struct vz_icechunk_ref {
    char *text; /* "@branch.main", as messages have it */
    uint8_t id[VZ_ICECHUNK_ID_SIZE];
} vz_icechunk_ref;

/* Clear it in any case. VZ_NOT_FOUND names those that there are. */
bool vz_icechunk_ref_find(vz_store *below, const char *which, vz_icechunk_ref *ref, vz_error *err);
void vz_icechunk_ref_clear(vz_icechunk_ref *ref);

/* May chunks lie in other files? Where it is not known, they may. */
bool vz_icechunk_has_containers(vz_store *below);

/* -- Snapshot -- all groups and arrays. */
typedef struct vz_icechunk_node {
    vz_bytes path; /* without a slash before it; "": the root. In the snapshot's bytes, as the next
                    * two */
    vz_bytes document;
    const uint8_t *id;
    vz_icechunk_flat_vector manifests; /* of an array */
    uint32_t rank;
    bool is_array;
} vz_icechunk_node;

typedef struct vz_icechunk_snapshot {
    vz_buffer content;
    vz_icechunk_node *nodes; /* each path once, sorted so that what lies below one follows it */
    size_t count;
} vz_icechunk_snapshot;

/* vz_icechunk_snapshot_clear in any case. */
bool vz_icechunk_snapshot_read(vz_store *below, const uint8_t id[VZ_ICECHUNK_ID_SIZE], vz_icechunk_snapshot *snapshot,
                               vz_error *err);
void vz_icechunk_snapshot_clear(vz_icechunk_snapshot *snapshot);
const vz_icechunk_node *vz_icechunk_node_find(const vz_icechunk_snapshot *snapshot, vz_bytes path);
/* The first node at or behind a path, or behind all that lies below it. */
size_t vz_icechunk_node_bound(const vz_icechunk_snapshot *snapshot, vz_bytes path, bool behind);

/* A part of an array's chunks, and the file that tells where these are. */
typedef struct vz_icechunk_part {
    const uint8_t *id;
    vz_icechunk_flat_vector extents; /* from and to along each dimension */
} vz_icechunk_part;
bool vz_icechunk_part_read(vz_icechunk_flat *flat, const vz_icechunk_node *node, uint32_t index,
                           vz_icechunk_part *part);

/* May the chunk at these coordinates be in it? */
bool vz_icechunk_part_may_have(const vz_icechunk_flat *flat, const vz_icechunk_part *part, const uint32_t *at,
                               unsigned rank);

/* -- Manifest -- where chunks are. */
typedef struct vz_icechunk_manifest {
    struct vz_icechunk_manifest *next;
    uint8_t id[VZ_ICECHUNK_ID_SIZE];
    vz_buffer content;
    vz_icechunk_flat_vector arrays;  /* sorted by the ids of their nodes */
    struct ZSTD_DDict_s *dictionary; /* of packed names; NULL: none */
    bool has_packed_names;           /* zstd packed them */
    unsigned users;
    uint64_t used;
} vz_icechunk_manifest;

typedef struct vz_icechunk_manifests {
    vz_os_mutex lock;
    vz_icechunk_manifest *first;
    size_t size; /* bytes of all of them */
    uint64_t clock;
} vz_icechunk_manifests;

void vz_icechunk_manifests_begin(vz_icechunk_manifests *manifests);
void vz_icechunk_manifests_end(vz_icechunk_manifests *manifests);
/* The manifest of that id, which stays until it is left. NULL with err set. In any thread. */
vz_icechunk_manifest *vz_icechunk_manifest_use(vz_icechunk_manifests *manifests, vz_store *below, const uint8_t *id,
                                               vz_error *err);
void vz_icechunk_manifest_leave(vz_icechunk_manifests *manifests, vz_icechunk_manifest *manifest);

bool vz_icechunk_manifest_is_known(vz_icechunk_manifests *manifests, const uint8_t *id);
/* Takes the manifest over. */
void vz_icechunk_manifest_add(vz_icechunk_manifests *manifests, vz_icechunk_manifest *manifest);

#define VZ_ICECHUNK_KEY_SIZE (16 + VZ_ICECHUNK_ID_LETTERS + 1) /* of a file's name in the store */
void vz_icechunk_manifest_key(const uint8_t *id, char key[VZ_ICECHUNK_KEY_SIZE]);
vz_icechunk_manifest *vz_icechunk_manifest_read(vz_store *below, const uint8_t *id, vz_error *err);
/* Of a file that was read. NULL with err set. */
vz_icechunk_manifest *vz_icechunk_manifest_of(const uint8_t *id, vz_bytes file, vz_error *err);
void vz_icechunk_manifest_free(vz_icechunk_manifest *manifest);
vz_icechunk_flat vz_icechunk_manifest_flat(const vz_icechunk_manifest *manifest);
extern const vz_icechunk_flat_field vz_icechunk_chunk_index;

/* The chunks of an array in it, sorted by their coordinates. `at` is 0: it has none. */
vz_icechunk_flat_vector vz_icechunk_manifest_chunks(vz_icechunk_flat *flat, const vz_icechunk_manifest *manifest,
                                                    const uint8_t node_id[VZ_ICECHUNK_NODE_ID_SIZE]);
/* The first chunk at or behind coordinates, of which only the first `rank` may be known. */
uint32_t vz_icechunk_chunk_bound(vz_icechunk_flat *flat, const vz_icechunk_flat_vector *chunks, const uint32_t *at,
                                 unsigned rank, bool behind);
/* One coordinate of a chunk, and how many it has. False: it has no such coordinate. */
bool vz_icechunk_chunk_coordinate(vz_icechunk_flat *flat, const vz_icechunk_flat_vector *chunks, uint32_t index,
                                  unsigned axis, unsigned *rank, uint32_t *coordinate);

typedef enum vz_icechunk_chunk_kind {
    VZ_ICECHUNK_ABSENT,
    VZ_ICECHUNK_INLINE,  /* in the manifest */
    VZ_ICECHUNK_NATIVE,  /* in a file of the repository */
    VZ_ICECHUNK_VIRTUAL, /* in any other file */
} vz_icechunk_chunk_kind;

typedef struct vz_icechunk_chunk {
    vz_icechunk_chunk_kind kind;
    vz_bytes bytes;    /* inline */
    const uint8_t *id; /* native */
    char *name;        /* virtual: of a file, the caller's to free, as the next one */
    char *etag;        /* of the version that is meant; NULL: any */
    uint64_t modified; /* it was not changed after that second; 0: any */
    uint64_t offset, size;
    vz_icechunk_manifest *manifest; /* that the bytes lie in */
} vz_icechunk_chunk;

/* -- Containers -- prefixes of names of virtual chunks, by the repository's settings. */
typedef struct vz_icechunk_containers {
    vz_os_mutex lock; /* of is_read; what was read stays */
    bool is_read;
    vz_buffer repo;
} vz_icechunk_containers;

void vz_icechunk_containers_begin(vz_icechunk_containers *containers);
void vz_icechunk_containers_end(vz_icechunk_containers *containers);

/* -- Store -- one snapshot, as a store of kerchunk finds values in it. */
typedef struct vz_icechunk {
    vz_store *below;
    vz_icechunk_snapshot snapshot;
    vz_icechunk_manifests manifests;
    vz_icechunk_containers containers;
} vz_icechunk;

/* Puts the prefix of a container in place of its name, if the name of a chunk's file begins with
 * one. In any thread. */
bool vz_icechunk_container_resolve(vz_icechunk *store, char **name, vz_error *err);
/* Can it be the name of a file, or its beginning? */
bool vz_icechunk_name_is(vz_bytes text);
/* The manifests that chunks with these keys need are read together. */
void vz_icechunk_manifests_expect(vz_icechunk *store, const vz_request *requests, size_t count);

/* The meaning of a key. */
typedef struct vz_icechunk_key {
    const vz_icechunk_node *node; /* NULL: nothing that the snapshot has */
    bool is_document;             /* else it is a chunk of the node, or (listing) what begins so */
    uint32_t at[VZ_ICECHUNK_RANK_MAX];
    unsigned rank; /* coordinates */
} vz_icechunk_key;
vz_icechunk_key vz_icechunk_key_parse(const vz_icechunk_snapshot *snapshot, const char *key);

/* Clear it in any case. A chunk that no manifest has is absent. */
bool vz_icechunk_chunk_find(vz_icechunk *store, const vz_icechunk_key *key, vz_icechunk_chunk *chunk, vz_error *err);
void vz_icechunk_chunk_clear(vz_icechunk *store, vz_icechunk_chunk *chunk);

bool vz_icechunk_list(vz_icechunk *store, const char *prefix, vz_entry **entries, size_t *count, vz_error *err);

#endif
