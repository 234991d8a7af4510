/* flex_internal.h - a bounded reader of FlexBuffers, in which a repository keeps its settings. Each
 * step checks where it leads. Of the many types it knows maps and texts. */
#ifndef VZ_ICECHUNK_FLEX_INTERNAL_H
#define VZ_ICECHUNK_FLEX_INTERNAL_H

#include "base/util/bytes.h"

/* A value, where it stands in its map. */
typedef struct vz_icechunk_flex {
    vz_bytes all;
    size_t at;
    unsigned width; /* bytes of the numbers beside it */
    uint8_t type;   /* with the width of the numbers that it leads to */
} vz_icechunk_flex;

/* False: it is none. */
bool vz_icechunk_flex_root(vz_bytes all, vz_icechunk_flex *root);
/* The members of a map; of anything else there are none. */
size_t vz_icechunk_flex_count(const vz_icechunk_flex *map);
bool vz_icechunk_flex_item(const vz_icechunk_flex *map, size_t index, vz_icechunk_flex *value);
bool vz_icechunk_flex_member(const vz_icechunk_flex *map, const char *key, vz_icechunk_flex *value);
/* Data is NULL: it is no text. */
vz_bytes vz_icechunk_flex_text(const vz_icechunk_flex *value);

#endif
