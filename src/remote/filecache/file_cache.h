/* file_cache.h - parts of one large value that stay in memory, and how much is read around
 * what is wanted. Asks nobody. */
#ifndef VZ_FILECACHE_FILE_CACHE_H
#define VZ_FILECACHE_FILE_CACHE_H

#include "base/util/bytes.h"

/* -- File cache -- parts that do not overlap, up to `most` bytes. The part that was used the
 * longest ago goes first. One thread at a time. */
typedef struct vz_filecache vz_filecache;

vz_filecache *vz_filecache_new(size_t most, vz_error *err);
void vz_filecache_free(vz_filecache *cache); /* NULL is fine */

/* Copies the bytes from `first` on that are there, `size` at most. Returns how many. */
size_t vz_filecache_copy(vz_filecache *cache, uint64_t first, size_t size, void *out);

/* The place around `first`, which is not there, of which nothing is there: [*low, *high). */
void vz_filecache_gap(const vz_filecache *cache, uint64_t first, uint64_t *low, uint64_t *high);

/* Adds a part and takes its memory, also on failure. Bytes that are there already are left out. */
bool vz_filecache_add(vz_filecache *cache, uint64_t first, vz_buffer *bytes, vz_error *err);
size_t vz_filecache_bytes(const vz_filecache *cache); /* that are there */

/* -- Read ahead -- a window around a read that the cache cannot answer. Windows grow while they are
 * used up to their ends, and shrink while only what is near was used. */
#define VZ_FILECACHE_WHOLE      ((uint64_t)8 << 20)  /* bytes of a file that is read as a whole */
#define VZ_FILECACHE_AHEAD_MIN  ((uint64_t)64 << 10) /* bytes of a window */
#define VZ_FILECACHE_AHEAD_BASE ((uint64_t)512 << 10)
#define VZ_FILECACHE_AHEAD_MAX  ((uint64_t)4 << 20)

typedef struct vz_filecache_ahead {
    uint64_t size;               /* of the next window; 0: none was read */
    uint64_t first, end;         /* the last window */
    uint64_t for_first, for_end; /* the read that it was for */
    uint64_t next;               /* where the last read ended */
    uint64_t used;               /* how far from that another read was answered by it */
} vz_filecache_ahead;

/* A read was answered by the cache. */
void vz_filecache_ahead_hit(vz_filecache_ahead *ahead, uint64_t first, uint64_t size);

/* The window [*low, *high) for a read of a file, which lies in it, as does the window in the file.
 * `near`: what is near is wanted, too (metadata). Otherwise only what follows is, and only where
 * reads follow each other. */
void vz_filecache_ahead_plan(vz_filecache_ahead *ahead, bool near, uint64_t first, uint64_t size, uint64_t file_size,
                             uint64_t *low, uint64_t *high);

#endif
