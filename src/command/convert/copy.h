/* copy.h - which chunks and which codecs a user wants: one for all datasets, or by the names of
 * datasets. Plain C. */
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

typedef struct vz_convert_compress_rule {
    char *pattern;    /* as above */
    const char *word; /* auto, none, zlib, zstd or blosc; not owned */
} vz_convert_compress_rule;

typedef struct vz_convert_compress_rules {
    vz_convert_compress_rule *items;
    size_t count;
} vz_convert_compress_rules;

/* "zstd", "/X:blosc;/raw*:none;zlib". VZ_INVALID if it is none of these. NULL: no rule. */
bool vz_convert_compress_rules_parse(const char *text, vz_convert_compress_rules *rules, vz_error *err);
void vz_convert_compress_rules_clear(vz_convert_compress_rules *rules);
/* The word of the first rule that fits the path; "auto" where none does. NULL: that of all datasets
 * without a rule of their own. */
const char *vz_convert_compress_word(const vz_convert_compress_rules *rules, const char *path);

#endif
