/* merge_ranges.c - ranges in the order of where they begin, merged while what lies between them is
 * less than another exchange costs. */
#include "remote/bucket/task_internal.h"
#include "base/util/c_library.h"
#include "base/util/bytes.h"
#include <stdlib.h>

/* bytes between two ranges that are read rather than asked for apart, */
#define GAP_MAX   ((uint64_t)256 << 10)
#define GAP_SHARE 4 /* or, if that is more, this part of what both have */
/* bytes that ranges are merged to: larger ones are faster apart */
#define PIECE_MAX ((uint64_t)8 << 20)

static bool is_before(const vz_range *a, const vz_range *b)
{
    if (a->kind != b->kind)
        return a->kind == VZ_RANGE_AT;
    return a->kind == VZ_RANGE_AT && (a->offset < b->offset || (a->offset == b->offset && a->size < b->size));
}

static int compare(const void *a, const void *b, void *context)
{
    const vz_range *ranges = context, *one = &ranges[*(const size_t *)a], *other = &ranges[*(const size_t *)b];
    return is_before(one, other) ? -1 : is_before(other, one) ? 1 : 0;
}

/* Does the range go with the piece, whose end is then *end? */
static bool joins(const vz_bucket_merged_range *p, const vz_range *range, uint64_t *end)
{
    if (p->is_suffix || range->kind != VZ_RANGE_AT)
        return p->is_suffix && range->kind == VZ_RANGE_SUFFIX && range->size == p->end && (*end = p->end, true);
    const uint64_t behind = range->offset + range->size;
    *end = behind > p->end ? behind : p->end;
    if (range->offset < p->end)
        return true;
    if (*end - p->first > PIECE_MAX)
        return false;
    const uint64_t gap = range->offset - p->end, share = (p->end - p->first + range->size) / GAP_SHARE;
    return gap <= (share > GAP_MAX ? share : GAP_MAX);
}

static vz_bucket_merged_range piece_of(const vz_range *range, size_t at)
{
    const bool is_suffix = range->kind == VZ_RANGE_SUFFIX;
    return (vz_bucket_merged_range){.is_suffix = is_suffix,
                                    .first = is_suffix ? 0 : range->offset,
                                    .end = is_suffix ? range->size : range->offset + range->size,
                                    .range = at,
                                    .count = 1};
}

static bool merge(vz_bucket_range_list *pieces, const vz_range *ranges, size_t count, vz_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const vz_range *range = &ranges[pieces->order[i]];
        vz_bucket_merged_range *last = pieces->count ? &pieces->items[pieces->count - 1] : NULL;
        uint64_t end;
        if (range->kind == VZ_RANGE_AT && !vz_add(range->offset, range->size, &end))
            return vz_fail(err, VZ_CORRUPT, "a range that ends behind everything");
        if (last && joins(last, range, &end)) {
            last->end = end;
            last->count++;
        } else {
            pieces->items[pieces->count++] = piece_of(range, i);
        }
    }
    return true;
}

bool vz_bucket_range_list_plan(vz_bucket_range_list *pieces, const vz_range *ranges, size_t count, vz_error *err)
{
    pieces->order = calloc(count + 1, sizeof *pieces->order);
    pieces->items = calloc(count + 1, sizeof *pieces->items);
    if (!pieces->order || !pieces->items)
        return vz_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        pieces->order[i] = i;
    vz_sort(pieces->order, count, sizeof *pieces->order, compare, (void *)ranges);
    return merge(pieces, ranges, count, err);
}

void vz_bucket_range_list_clear(vz_bucket_range_list *pieces)
{
    free(pieces->order);
    free(pieces->items);
    *pieces = (vz_bucket_range_list){0};
}
