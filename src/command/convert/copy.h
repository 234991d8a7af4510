/* copy.h - which chunks and which codecs a user wants: one for all datasets, or by the names of
 * datasets. Plain C. */
#ifndef VZ_CONVERT_COPY_H
#define VZ_CONVERT_COPY_H

#include "base/util/error.h"
#include <stdint.h>

#define VZ_CHUNKS_RANK_MAX 32

/* One rule of an option, "PATTERN:VALUE" or "VALUE". */
typedef struct vz_convert_rule {
    char *pattern; /* of a shell, for the whole path; NULL: every dataset */
    /* of --chunks */
    bool is_auto;
    unsigned rank;
    uint64_t extent[VZ_CHUNKS_RANK_MAX];
    /* of --compress: auto, none, zlib, zstd or blosc; not owned */
    const char *word;
} vz_convert_rule;

typedef struct vz_convert_rules {
    vz_convert_rule *items;
    size_t count;
} vz_convert_rules;

/* Rules separated by semicolons; NULL: none. VZ_INVALID if it is none of these.
 * - chunks: "100,100", "auto", "/X:1000,50;/obs?*:auto"
 * - compress: "zstd", "/X:blosc;/raw*:none;zlib" */
bool vz_convert_chunk_rules_parse(const char *text, vz_convert_rules *rules, vz_error *err);
bool vz_convert_compress_rules_parse(const char *text, vz_convert_rules *rules, vz_error *err);
void vz_convert_rules_clear(vz_convert_rules *rules);
/* The word of the first rule that fits the path; "auto" where none does. NULL: that of all datasets
 * without a rule of their own. */
const char *vz_convert_compress_word(const vz_convert_rules *rules, const char *path);

#endif
