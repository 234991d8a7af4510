/* cache.h - documents of arrays that are alike, as those of many small datasets are: one text that was read or printed
 * twice in a row is kept with what it says, and the next array that has it neither parses nor prints it. For format 2,
 * where attributes have a document of their own. */
#ifndef VZ_DOCUMENTS_CACHE_H
#define VZ_DOCUMENTS_CACHE_H

#include "metadata/metadata/format.h"

/* Zeros: nothing is known. */
typedef struct vz_alike {
    vz_buffer text;              /* the last one */
    const vz_spelling *spelling; /* of it */
    vz_json *document;           /* what it says; NULL: it was met once */
    vz_array_meta *meta;         /* as the document says it; NULL like document */
    vz_json_size size;           /* where it was printed */
} vz_alike;

/* Is it the text that is known? Then *document (to be freed; it is shared, and so not to be changed) and a *meta of the
 * caller's. False, perhaps for want of memory: it must be parsed. */
bool vz_alike_by_text(const vz_alike *alike, const vz_spelling *spelling, const char *text, size_t size,
                      vz_json **document, vz_array_meta **meta);
/* Is the text that is known the one of an array with this metadata, of which no document is there yet? Then it is
 * appended to `text`, and *document as above. */
bool vz_alike_by_meta(const vz_alike *alike, const vz_spelling *spelling, const vz_array_meta *meta, vz_buffer *text,
                      vz_json **document);
/* This one was read or printed. `document` is shared from then on. What there is no memory for is not known. */
void vz_alike_note(vz_alike *alike, const vz_spelling *spelling, vz_bytes text, vz_json *document,
                   const vz_array_meta *meta);
void vz_alike_forget(vz_alike *alike);

#endif
