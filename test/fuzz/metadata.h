/* metadata.h - the two spellings of an array's document have a target each. */
#ifndef VZ_FUZZ_METADATA_H
#define VZ_FUZZ_METADATA_H

#include "fuzz.h"
#include "metadata/metadata/metadata.h"

/* The input is a document, then NUL and a stored chunk (of a sharded array: also taken for the index of a shard). */
void fuzz_metadata(int format, const uint8_t *data, size_t size);
/* The same for a document of which the input is a part: what stands before and after it is given. */
void fuzz_part(int format, const char *before, const char *after, const uint8_t *data, size_t size);

#endif
