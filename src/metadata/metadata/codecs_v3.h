/* codecs_v3.h - v3's list of codecs and the model's order, shards and codecs (used by meta_v3.c only). */
#ifndef VZ_METADATA_CODECS_V3_H
#define VZ_METADATA_CODECS_V3_H

#include "metadata/metadata/meta.h"

/* meta->rank and ->chunks (the chunk grid's) are known; afterwards ->chunks are the innermost chunks. *big_endian: what
 * the codec "bytes" says. A codec with a name that is not known goes into the chain under that name, so that it is
 * missed when data is touched, not before. */
bool vz_codecs_parse_v3(vz_array_meta *meta, const vz_json *list, bool *big_endian, vz_error *err);
vz_json *vz_codecs_print_v3(const vz_array_meta *meta, vz_error *err);

#endif
