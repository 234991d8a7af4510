/* thread_context.h - one reusable library context of each kind per thread, so that no chunk allocates one. */
#ifndef VZ_CODEC_THREAD_CONTEXT_H
#define VZ_CODEC_THREAD_CONTEXT_H

typedef enum vz_thread_context_kind {
    VZ_CONTEXT_INFLATE,
    VZ_CONTEXT_DEFLATE,
    VZ_CONTEXT_ZSTD_DECODE,
    VZ_CONTEXT_ZSTD_ENCODE,
    VZ_CONTEXT_KINDS,
} vz_thread_context_kind;

/* This thread's place for a context of that kind: NULL inside until the codec puts one there. `destroy` is called for
 * it when the thread ends. NULL: out of memory. */
void **vz_thread_context(vz_thread_context_kind kind, void (*destroy)(void *context));

#endif
