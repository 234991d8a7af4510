/* sharding_v3.h - v3's codec "sharding_indexed": one level of shards (used by the files of v3 only). */
#ifndef VZ_METADATA_SHARDING_V3_H
#define VZ_METADATA_SHARDING_V3_H

#include "metadata/metadata/meta.h"

#define VZ_V3_SHARDS "sharding_indexed"

/* Is it what makes bytes of numbers? "endian" is the older name. */
bool vz_v3_is_bytes(const char *name);
/* Adds a level to the array. What was said of its chunks is said of these shards; the codecs of what lies in them are
 * not looked at. */
bool vz_v3_shards_parse(vz_array_meta *meta, const vz_json *configuration, vz_error *err);
/* {"name": "sharding_indexed", ...}. codecs: the list of what lies in it; taken, also on failure. */
vz_json *vz_v3_shards_print(const vz_array_meta *meta, unsigned level, vz_json *codecs, vz_error *err);

#endif
