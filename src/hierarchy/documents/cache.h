/* cache.h - documents of arrays with equal metadata, as many small datasets have. A text that
 * was read or printed twice in a row is kept with its parsed form. The next array with that text
 * is neither parsed nor printed. Only for Zarr format 2, where attributes have their own
 * document. */
#ifndef VZ_DOCUMENTS_CACHE_H
#define VZ_DOCUMENTS_CACHE_H

#include "metadata/metadata/format.h"

/* Zeros: nothing is known. */
typedef struct vz_parse_cache {
    vz_buffer text;              /* the last one */
    const vz_spelling *spelling; /* of `text` */
    vz_json *document;           /* parsed text; NULL: it was met once */
    vz_array_meta *meta;         /* as the document says it; NULL like document */
    vz_json_size size;           /* where it was printed */
} vz_parse_cache;

/* Looks the text up. True: *document is shared (free it, do not change it), *meta is the
 * caller's. False (also without memory): the text must be parsed. */
bool vz_parse_cache_by_text(const vz_parse_cache *cache, const vz_spelling *spelling, const char *text, size_t size,
                            vz_json **document, vz_array_meta **meta);
/* Looks up the text of a new array with this metadata. True: the text was appended to `text`;
 * *document is as above. */
bool vz_parse_cache_by_meta(const vz_parse_cache *cache, const vz_spelling *spelling, const vz_array_meta *meta,
                            vz_buffer *text, vz_json **document);
/* Notes a text that was read or printed. `document` is shared from then on. Without memory
 * nothing is noted. */
void vz_parse_cache_note(vz_parse_cache *cache, const vz_spelling *spelling, vz_bytes text, vz_json *document,
                         const vz_array_meta *meta);
void vz_parse_cache_forget(vz_parse_cache *cache);

#endif
