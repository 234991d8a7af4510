/* merge_ranges.h - which ranges of a value are asked for in one exchange: those that lie near one another. */
#ifndef VZ_BUCKET_MERGE_RANGES_H
#define VZ_BUCKET_MERGE_RANGES_H

#include "store/store/store_read.h"
#include "base/util/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The ranges of one exchange. */
typedef struct vz_merged_range {
    bool is_suffix;
    uint64_t first, end; /* bytes of the value; a suffix: 0 and its size */
    size_t range, count; /* in the order of vz_range_list.order */
} vz_merged_range;

typedef struct vz_range_list {
    size_t *order; /* the ranges by where they begin, suffixes last */
    vz_merged_range *items;
    size_t count;
} vz_range_list;

/* Plans the exchanges of `count` ranges, each VZ_RANGE_AT or VZ_RANGE_SUFFIX, into pieces that are zeros or were
 * cleared. A failure leaves what vz_pieces_clear frees: VZ_CORRUPT for a range whose end is no offset, memory. */
bool vz_pieces_plan(vz_range_list *pieces, const vz_range *ranges, size_t count, vz_error *err);

/* Frees what was planned; the pieces can be planned anew. */
void vz_pieces_clear(vz_range_list *pieces);

#endif
