/* cache_internal.h - the members of the document cache, by the files that write them. */
#ifndef VZ_DOCUMENTS_CACHE_INTERNAL_H
#define VZ_DOCUMENTS_CACHE_INTERNAL_H

#include "base/util/hash.h"
#include "hierarchy/documents/cache.h"

/* The last text. Zeros: nothing is known. */
typedef struct vz_doc_equal {
    vz_buffer text;
    const vz_zarr_format *zarr_format; /* of `text` */
    vz_json *document;                 /* parsed text; NULL: it was met once */
    vz_meta *meta;                     /* as the document says it; NULL like document */
    vz_json_size size;                 /* where it was printed */
} vz_doc_equal;

struct vz_doc_cache {
    /* equal_documents.c */
    vz_doc_equal last_parsed, last_printed;

    /* text_facts.c */
    vz_nummap facts; /* hash of a text -> its facts, in the bits of a pointer */

    /* written_texts.c */
    vz_strmap *written; /* key -> text and hash; NULL: none */
    uint64_t written_bytes;

    /* listings.c */
    struct vz_doc_listings *listings; /* NULL: none were requested */

    /* consolidated_hint.c */
    struct vz_hint *hint; /* NULL: none */
};

void vz_doc_hint_free(struct vz_hint *hint); /* NULL is fine */
void vz_doc_equal_clear(vz_doc_equal *equal);

/* written_texts.c. Visits the keys in any order; `cursor` begins at 0. Keys are borrowed. */
bool vz_doc_cache_next_written(const vz_doc_cache *cache, size_t *cursor, const char **key);

#endif
