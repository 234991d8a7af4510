/* copy.h - which chunks a user wants: one shape for all datasets, or by the names of datasets. Plain C. */
#ifndef VZ_CONVERT_COPY_H
#define VZ_CONVERT_COPY_H

#include "base/util/error.h"
#include <stdint.h>

#define VZ_CHUNKS_RANK_MAX 32

typedef struct vz_chunk_rule {
    char *pattern; /* of a shell, for the whole path; NULL: every dataset */
    bool is_auto;
    unsigned rank;
    uint64_t extent[VZ_CHUNKS_RANK_MAX];
} vz_chunk_rule;

typedef struct vz_chunk_rules {
    vz_chunk_rule *items;
    size_t count;
} vz_chunk_rules;

/* "100,100", "auto", "/X:1000,50;/obs?*:auto": rules separated by semicolons. VZ_INVALID if it is none of these. */
bool vz_chunk_rules_parse(const char *text, vz_chunk_rules *rules, vz_error *err);
void vz_chunk_rules_clear(vz_chunk_rules *rules);
/* The first rule that fits the path and the rank; false: none does. `dims`: of the dataset, none 0; `maximum`: what it
 * may grow to, UINT64_MAX without end. Chunks are no longer than a dimension that cannot grow. */
bool vz_chunk_rules_apply(const vz_chunk_rules *rules, const char *path, unsigned rank, const uint64_t *dims,
                          const uint64_t *maximum, uint64_t element_size, uint64_t *chunk);

/* Chunks of about a mebibyte that divide the longest dimensions first. */
void vz_chunk_guess(unsigned rank, const uint64_t *dims, uint64_t element_size, uint64_t *chunk);

#endif
