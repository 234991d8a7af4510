/* streamed_put.h - a value that is put in pieces, so that it never is in memory as a whole. What was written of it is seen by
 * nobody before it takes its place, as the value of any put: old or new, never half. Only kinds of stores that do each
 * request at once have it (`begin_pieces` of their class). */
#ifndef VZ_STORE_STREAMED_PUT_H
#define VZ_STORE_STREAMED_PUT_H

#include "store/store/store_read.h"

typedef struct vz_put_stream vz_put_stream;

/* Each function as the one below that has its name. */
typedef struct vz_pieces_class {
    bool (*write)(vz_put_stream *pieces, uint64_t offset, vz_bytes bytes, vz_error *err);
    bool (*read)(vz_put_stream *pieces, uint64_t offset, size_t size, vz_buffer *out, vz_error *err);
    bool (*put)(vz_put_stream *pieces, bool is_new, vz_error *err);
    void (*drop)(vz_put_stream *pieces);
} vz_pieces_class;

/* What a kind of store has of such a value begins with this. */
struct vz_put_stream {
    const vz_pieces_class *class;
    vz_store *store; /* where it lies: the one that was asked, or its stage */
    bool is_in;      /* it has taken its place */
};

/* Begins the next value of a key. NULL: it cannot be put so, or not now; putting it as a whole tells why. */
vz_put_stream *vz_pieces_begin(vz_store *store, const char *key);
/* The bytes of the value from `offset` on. Several threads may write to different places at once. */
bool vz_pieces_write(vz_store *store, vz_put_stream *pieces, uint64_t offset, vz_bytes bytes, vz_error *err);
/* Appends what was written there, of a value that is not in its place; then nothing more is written. VZ_IO where it is
 * not sure to be what was written. */
bool vz_pieces_read(vz_put_stream *pieces, uint64_t offset, size_t size, vz_buffer *out, vz_error *err);
/* All that was written takes its place, as by vz_store_put, or vz_store_put_new. After VZ_EXISTS it may be tried again.
 * `store` and `key`: those it was begun with. */
bool vz_pieces_put(vz_store *store, const char *key, vz_put_stream *pieces, bool is_new, vz_error *err);
/* Frees it, and removes what did not take its place. In a forked child that is the parent's, and stays. NULL is fine.
 */
void vz_pieces_drop(vz_put_stream *pieces);

#endif
