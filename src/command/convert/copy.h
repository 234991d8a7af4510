/* copy.h - which chunks a user wants: one shape for all datasets, or by the names of datasets.
 * Plain C. */
#ifndef VZ_CONVERT_COPY_H
#define VZ_CONVERT_COPY_H

#include "base/util/error.h"
#include <stdint.h>

#define VZ_CHUNKS_RANK_MAX 32

typedef struct vz_convert_chunk_rule {
    char *pattern; /* of a shell, for the whole path; NULL: every dataset */
    bool is_auto;
    unsigned rank;
    uint64_t extent[VZ_CHUNKS_RANK_MAX];
} vz_convert_chunk_rule;

typedef struct vz_convert_chunk_rules {
    vz_convert_chunk_rule *items;
    size_t count;
} vz_convert_chunk_rules;

/* "100,100", "auto", "/X:1000,50;/obs?*:auto": rules separated by semicolons. VZ_INVALID if it is
 * none of these. */
bool vz_convert_chunk_rules_parse(const char *text, vz_convert_chunk_rules *rules, vz_error *err);
void vz_convert_chunk_rules_clear(vz_convert_chunk_rules *rules);

#endif
