/* burst.h - small arrays of a store that is far away, fetched together before they are asked for. HDF5 reads one
 * dataset after another, so that each would be a round trip by itself. The consolidated metadata tells which arrays
 * have a few chunks at most: when a second dataset is read whole, the chunks of all of them are asked for beside its
 * own. */
#ifndef VZ_HIERARCHY_BURST_H
#define VZ_HIERARCHY_BURST_H

#include "store/request.h"
#include <time.h>

#define VZ_BURST_REQUESTS_MAX 256
#define VZ_BURST_CHUNKS_OF    4                   /* of an array, at most */
#define VZ_BURST_BYTES_MAX    ((uint64_t)8 << 20) /* of all chunks together, decoded */
#define VZ_BURST_CHUNK_MAX    ((uint64_t)1 << 20) /* of one */
#define VZ_BURST_SECONDS      30                  /* how long what was fetched is what is there */

typedef struct vz_burst {
    char *first;      /* prefix of the array that was read whole; NULL: none was */
    bool is_done;     /* it happens once */
    vz_store *values; /* in memory: what was fetched and not yet asked for; NULL: nothing */
    struct timespec since;
    long owner;      /* the process that began it */
    vz_batch *batch; /* what is under way, and the next three its own */
    vz_request *requests;
    vz_buffer *bytes;
    size_t count;
} vz_burst;

/* These requests are about to be pulled, in the thread that opens batches: if they are a second dataset, all of it, the
 * burst begins. Errors are nobody's: what is not fetched is asked for later. */
void vz_burst_meet(vz_burst *burst, vz_store *documents, vz_store *below, const vz_request *requests, size_t count);
/* Was the value fetched that this request wants? Each is told once: vz_burst_told follows, when it was read. */
bool vz_burst_has(vz_burst *burst, const vz_request *request);
void vz_burst_told(vz_burst *burst, const vz_request *request);
void vz_burst_end(vz_burst *burst);  /* what is under way is waited for */
void vz_burst_drop(vz_burst *burst); /* in a forked child: it is not */
void vz_burst_clear(vz_burst *burst);

#endif
