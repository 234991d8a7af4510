/* point_runs.c - cutting and bucketing. A batch is cut into `loose` in the order of the runs; a
 * counting sort by chunk follows. */
#include "array/selection/selection_internal.h"
#include <stdlib.h>

enum { SOURCE_BATCH = 4096, BUCKETS_MAX = 1 << 16 };

typedef struct loose_cut {
    vz_cut cut;
    uint32_t bucket;
} loose_cut;

typedef struct bucket {
    uint64_t chunk;     /* linear index in the grid */
    uint64_t elements;  /* selected */
    uint64_t next;      /* element of the array after the last cut */
    bool rising;        /* each cut lies behind the one before, so that elements are counted once */
    size_t last;        /* its latest loose cut */
    size_t cuts, first; /* after sorting: its place in `sorted` */
} bucket;

struct vz_run_cutter {
    const vz_meta *meta;
    vz_run_source source;
    void *context;
    uint64_t total;              /* elements of the array */
    uint64_t dims[VZ_MAX_RANK];  /* chunks along each dimension */
    uint64_t steps[VZ_MAX_RANK]; /* elements between neighbours in a chunk */
    vz_point_run *runs;          /* SOURCE_BATCH */
    size_t run_count, run_next;
    bool ended;
    loose_cut *loose;
    size_t loose_count, loose_capacity;
    vz_cut *sorted;
    size_t sorted_capacity;
    bucket *buckets;
    uint64_t *coordinates; /* rank for each bucket */
    size_t bucket_count, bucket_capacity;
    uint32_t *table; /* bucket + 1 by hash of the chunk, 0 = free */
    size_t table_size;
    size_t recent; /* the bucket of the latest cut */
};

vz_run_cutter *vz_runs_open(const vz_meta *meta, vz_run_source source, void *context, vz_error *err)
{
    uint64_t total = 1;
    for (unsigned d = 0; d < meta->rank; d++)
        if (!vz_mul(total, meta->shape[d], &total)) {
            vz_fail(err, VZ_LIMIT, "the array has too many elements for this kind of selection");
            return NULL;
        }
    vz_run_cutter *cutter = calloc(1, sizeof *cutter);
    if (!cutter) {
        vz_fail_memory(err);
        return NULL;
    }
    *cutter = (vz_run_cutter){.meta = meta, .source = source, .context = context, .total = total};
    cutter->runs = malloc(SOURCE_BATCH * sizeof *cutter->runs);
    if (!cutter->runs) {
        free(cutter);
        vz_fail_memory(err);
        return NULL;
    }
    vz_grid_dims(meta, meta->shape, cutter->dims);
    vz_grid_steps(meta, cutter->steps);
    return cutter;
}

void vz_runs_close(vz_run_cutter *cutter)
{
    if (!cutter)
        return;
    free(cutter->runs);
    free(cutter->loose);
    free(cutter->sorted);
    free(cutter->buckets);
    free(cutter->coordinates);
    free(cutter->table);
    free(cutter);
}

static bool grow(void **memory, size_t count, size_t *capacity, size_t size, vz_error *err)
{
    if (count < *capacity)
        return true;
    const size_t wanted = *capacity ? *capacity * 2 : 64;
    void *larger = realloc(*memory, wanted * size);
    if (!larger)
        return vz_fail_memory(err);
    *memory = larger;
    *capacity = wanted;
    return true;
}

static size_t table_slot(const vz_run_cutter *cutter, uint64_t chunk)
{
    size_t slot = (size_t)(chunk * 0x9e3779b97f4a7c15u >> 20) & (cutter->table_size - 1);
    while (cutter->table[slot] && cutter->buckets[cutter->table[slot] - 1].chunk != chunk)
        slot = (slot + 1) & (cutter->table_size - 1);
    return slot;
}

static bool grow_table(vz_run_cutter *cutter, vz_error *err)
{
    if (cutter->bucket_count * 2 < cutter->table_size)
        return true;
    const size_t size = cutter->table_size ? cutter->table_size * 2 : 256;
    uint32_t *table = calloc(size, sizeof *table);
    if (!table)
        return vz_fail_memory(err);
    free(cutter->table);
    cutter->table = table;
    cutter->table_size = size;
    for (size_t i = 0; i < cutter->bucket_count; i++)
        table[table_slot(cutter, cutter->buckets[i].chunk)] = (uint32_t)i + 1;
    return true;
}

static bool add_bucket(vz_run_cutter *cutter, uint64_t chunk, const uint64_t *at, vz_error *err)
{
    const unsigned rank = cutter->meta->rank;
    const size_t before = cutter->bucket_capacity;
    if (!grow((void **)&cutter->buckets, cutter->bucket_count, &cutter->bucket_capacity, sizeof *cutter->buckets, err))
        return false;
    if (before != cutter->bucket_capacity) {
        uint64_t *larger = realloc(cutter->coordinates, cutter->bucket_capacity * (rank + 1) * sizeof *larger);
        if (!larger)
            return vz_fail_memory(err);
        cutter->coordinates = larger;
    }
    for (unsigned d = 0; d < rank; d++)
        cutter->coordinates[cutter->bucket_count * rank + d] = vz_grid_chunk_at(cutter->meta, d, at[d]);
    cutter->buckets[cutter->bucket_count++] = (bucket){.chunk = chunk, .rising = true};
    return true;
}

/* The bucket of the chunk that holds element `at`. */
static bool find_bucket(vz_run_cutter *cutter, const uint64_t *at, size_t *index, vz_error *err)
{
    uint64_t chunk = 0;
    for (unsigned d = 0; d < cutter->meta->rank; d++)
        chunk = chunk * cutter->dims[d] + vz_grid_chunk_at(cutter->meta, d, at[d]);
    if (cutter->bucket_count && cutter->buckets[cutter->recent].chunk == chunk) {
        *index = cutter->recent;
        return true;
    }
    if (!grow_table(cutter, err))
        return false;
    const size_t slot = table_slot(cutter, chunk);
    if (cutter->table[slot] == 0) {
        if (!add_bucket(cutter, chunk, at, err))
            return false;
        cutter->table[slot] = (uint32_t)cutter->bucket_count;
    }
    *index = cutter->recent = cutter->table[slot] - 1;
    return true;
}

/* Lengthens the bucket's latest cut if the new one goes on where it ends. */
static bool join_cut(vz_run_cutter *cutter, const bucket *b, const vz_cut *cut)
{
    if (b->cuts == 0 || (cutter->meta->rank && cutter->steps[cutter->meta->rank - 1] != 1))
        return false;
    vz_cut *last = &cutter->loose[b->last].cut;
    if (last->offset + last->length != cut->offset || last->memory + last->length != cut->memory)
        return false;
    last->length += cut->length;
    return true;
}

/* Elements along d from the start of the chunk in which `at` lies. */
static uint64_t within(const vz_meta *meta, unsigned d, uint64_t at)
{
    return meta->edges ? at - vz_grid_chunk_start(meta, d, vz_grid_chunk_at(meta, d, at)) : at % meta->chunks[d];
}

static bool add_cut(vz_run_cutter *cutter, const uint64_t *at, uint64_t element, uint64_t memory, uint64_t length,
                    vz_error *err)
{
    size_t index;
    if (!find_bucket(cutter, at, &index, err))
        return false;
    bucket *b = &cutter->buckets[index];
    b->rising = b->rising && element >= b->next;
    b->next = element + length;
    b->elements += length;
    vz_cut cut = {.memory = memory, .length = length};
    for (unsigned d = 0; d < cutter->meta->rank; d++)
        cut.offset += within(cutter->meta, d, at[d]) * cutter->steps[d];
    if (join_cut(cutter, b, &cut))
        return true;
    if (!grow((void **)&cutter->loose, cutter->loose_count, &cutter->loose_capacity, sizeof *cutter->loose, err))
        return false;
    b->last = cutter->loose_count;
    b->cuts++;
    cutter->loose[cutter->loose_count++] = (loose_cut){cut, (uint32_t)index};
    return true;
}

static void locate(const vz_meta *meta, uint64_t element, uint64_t *at)
{
    for (unsigned d = meta->rank; d-- > 1;) {
        at[d] = element % meta->shape[d];
        element /= meta->shape[d];
    }
    if (meta->rank)
        at[0] = element;
}

/* Moves `at` on by length elements, which end at the row's end at most. */
static void advance(const vz_meta *meta, uint64_t length, uint64_t *at)
{
    unsigned d = meta->rank - 1;
    at[d] += length;
    for (; d > 0 && at[d] == meta->shape[d]; d--) {
        at[d] = 0;
        at[d - 1]++;
    }
}

static bool batch_is_full(const vz_run_cutter *cutter)
{
    return cutter->loose_count >= VZ_RUN_BATCH || cutter->bucket_count >= BUCKETS_MAX;
}

/* Cuts as much of the run as the batch takes; what is left of it stays. */
static bool cut_run(vz_run_cutter *cutter, vz_point_run *run, vz_error *err)
{
    const vz_meta *meta = cutter->meta;
    uint64_t at[VZ_MAX_RANK] = {0};
    if (run->length > cutter->total || run->array > cutter->total - run->length)
        return vz_fail(err, VZ_INVALID, "selection lies outside the array");
    locate(meta, run->array, at);
    while (run->length > 0 && !batch_is_full(cutter)) {
        uint64_t length = run->length;
        if (meta->rank > 0) {
            const unsigned d = meta->rank - 1;
            const uint64_t edge =
                meta->edges ? vz_grid_edge(meta, d, vz_grid_chunk_at(meta, d, at[d])) : meta->chunks[d];
            const uint64_t row = meta->shape[d] - at[d], rest = edge - within(meta, d, at[d]);
            length = length < row ? length : row;
            length = length < rest ? length : rest;
        }
        if (!add_cut(cutter, at, run->array, run->memory, length, err))
            return false;
        run->array += length;
        run->memory += length;
        run->length -= length;
        if (run->length > 0)
            advance(meta, length, at);
    }
    return true;
}

/* Fetches more runs when the last ones are used up. */
static bool refill(vz_run_cutter *cutter, vz_error *err)
{
    if (cutter->run_next < cutter->run_count || cutter->ended)
        return true;
    cutter->run_next = cutter->run_count = 0;
    if (!cutter->source(cutter->context, cutter->runs, SOURCE_BATCH, &cutter->run_count, err))
        return false;
    cutter->ended = cutter->run_count == 0;
    return true;
}

static bool sort_cuts(vz_run_cutter *cutter, vz_error *err)
{
    if (cutter->loose_count > cutter->sorted_capacity) {
        vz_cut *larger = realloc(cutter->sorted, cutter->loose_capacity * sizeof *larger);
        if (!larger)
            return vz_fail_memory(err);
        cutter->sorted = larger;
        cutter->sorted_capacity = cutter->loose_capacity;
    }
    size_t place = 0;
    for (size_t i = 0; i < cutter->bucket_count; i++) {
        cutter->buckets[i].first = cutter->buckets[i].last = place;
        place += cutter->buckets[i].cuts;
    }
    for (size_t i = 0; i < cutter->loose_count; i++)
        cutter->sorted[cutter->buckets[cutter->loose[i].bucket].last++] = cutter->loose[i].cut;
    return true;
}

bool vz_runs_next(vz_run_cutter *cutter, size_t *count, vz_error *err)
{
    cutter->loose_count = cutter->bucket_count = cutter->recent = 0;
    if (cutter->table)
        memset(cutter->table, 0, cutter->table_size * sizeof *cutter->table);
    while (!batch_is_full(cutter)) {
        if (!refill(cutter, err))
            return false;
        if (cutter->ended)
            break;
        vz_point_run *run = &cutter->runs[cutter->run_next];
        if (!cut_run(cutter, run, err))
            return false;
        if (run->length == 0)
            cutter->run_next++;
    }
    *count = cutter->bucket_count;
    return sort_cuts(cutter, err);
}

vz_selection_in_chunk vz_runs_piece(const vz_run_cutter *cutter, size_t index)
{
    const bucket *b = &cutter->buckets[index];
    const uint64_t *chunk = &cutter->coordinates[index * cutter->meta->rank];
    return (vz_selection_in_chunk){
        .chunk = chunk,
        .cuts = &cutter->sorted[b->first],
        .cut_count = b->cuts,
        .covers = b->rising && b->elements == vz_grid_valid(cutter->meta, chunk),
    };
}
