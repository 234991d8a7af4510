/* documents_internal.h - one document parsed; names that a key cannot have. */
#ifndef VZ_DOCUMENTS_DOCUMENTS_INTERNAL_H
#define VZ_DOCUMENTS_DOCUMENTS_INTERNAL_H

#include "hierarchy/documents/documents.h"

/* With the copy. */
vz_json *vz_document_parse_whole(const char *document, const char *text, size_t size, vz_error *err);

/* -- Link name --
 * link names a store cannot hold are escaped reversibly, all others are themselves. */
/* bytes of a segment; file systems take 255, partial files need a few more */
#define VZ_NAME_MAX_SEGMENT 240

#endif
