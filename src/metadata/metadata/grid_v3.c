/* grid_v3.c - v3's chunk grids: "regular", and "rectilinear", whose chunks have different
 * shapes. */
#include "metadata/metadata/v3_internal.h"
#include <stdlib.h>

#define RECTILINEAR "rectilinear"
#define EDGE_MAX    ((uint64_t)INT64_MAX)

/* ---- reading ---- */

/* A chunk length of 0 for an extent of 0 is no grid, but there are no chunks either, so 1 says the
 * same. */
static bool parse_regular(vz_meta *meta, const vz_json *configuration, vz_error *err)
{
    if (!vz_v3_sizes(vz_json_get(configuration, "chunk_shape"), "chunk_shape", meta->rank, 0, meta->chunks, err))
        return false;
    for (unsigned d = 0; d < meta->rank; d++) {
        if (meta->chunks[d] == 0 && meta->shape[d] == 0)
            meta->chunks[d] = 1;
        if (meta->chunks[d] == 0)
            return vz_fail(err, VZ_CORRUPT, "zarr.json: \"chunk_shape\"[%u] is 0", d);
    }
    return true;
}

static bool parse_edge(const vz_json *value, uint64_t *edge)
{
    return vz_json_get_uint64(value, edge) && *edge > 0 && *edge <= EDGE_MAX;
}

/* A length, or [length, count]. */
static bool parse_run(const vz_json *item, vz_meta_run *run)
{
    run->count = 1;
    if (vz_json_kind_of(item) != VZ_JSON_ARRAY)
        return parse_edge(item, &run->edge);
    return vz_json_length(item) == 2 && parse_edge(vz_json_at(item, 0), &run->edge) &&
           parse_edge(vz_json_at(item, 1), &run->count);
}

/* Where the chunk behind a run begins. Sums beyond 64 bits lie beyond every array. */
static void end_of(const vz_meta_run *run, uint64_t *first, uint64_t *start)
{
    uint64_t length;
    if (!vz_add(run->first, run->count, first))
        *first = UINT64_MAX;
    if (!vz_mul(run->edge, run->count, &length) || !vz_add(run->start, length, start))
        *start = UINT64_MAX;
}

/* Neighbours of one length are one run. */
static void add_run(vz_meta_edges *edges, vz_meta_run run)
{
    vz_meta_run *last = edges->count ? &edges->runs[edges->count - 1] : NULL;
    run.first = run.start = 0;
    if (last)
        end_of(last, &run.first, &run.start);
    if (last && last->edge == run.edge && run.start < UINT64_MAX && run.count <= EDGE_MAX - last->count)
        last->count += run.count;
    else
        edges->runs[edges->count++] = run;
}

static bool parse_list(vz_meta_edges *edges, const vz_json *list, unsigned d, uint64_t extent, vz_error *err)
{
    const size_t count = vz_json_length(list);
    uint64_t first, start;
    if (vz_json_kind_of(list) != VZ_JSON_ARRAY || count == 0)
        return vz_fail(err, VZ_CORRUPT, "zarr.json: \"chunk_shapes\"[%u] is no list of lengths", d);
    if (!(edges->runs = malloc(count * sizeof *edges->runs)))
        return vz_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        vz_meta_run run;
        if (!parse_run(vz_json_at(list, i), &run))
            return vz_fail(err, VZ_CORRUPT, "zarr.json: \"chunk_shapes\"[%u][%zu] is no length of a chunk", d, i);
        add_run(edges, run);
    }
    end_of(&edges->runs[edges->count - 1], &first, &start);
    return start >= extent || vz_fail(err, VZ_CORRUPT, "zarr.json: \"chunk_shapes\"[%u] has %llu elements of %llu", d,
                                      (unsigned long long)start, (unsigned long long)extent);
}

/* m: chunks of that length to the end and beyond. */
static bool parse_uniform(vz_meta_edges *edges, const vz_json *value, unsigned d, vz_error *err)
{
    vz_meta_run run = {.count = UINT64_MAX};
    if (!parse_edge(value, &run.edge))
        return vz_fail(err, VZ_CORRUPT, "zarr.json: \"chunk_shapes\"[%u] is no length of a chunk", d);
    if (!(edges->runs = malloc(sizeof *edges->runs)))
        return vz_fail_memory(err);
    edges->uniform = true;
    add_run(edges, run);
    return true;
}

static uint64_t longest(const vz_meta_edges *edges, uint64_t extent)
{
    uint64_t most = edges->runs[0].edge;
    for (size_t i = 1; i < edges->count && edges->runs[i].start < extent; i++)
        most = edges->runs[i].edge > most ? edges->runs[i].edge : most;
    return most;
}

static bool parse_rectilinear(vz_meta *meta, const vz_json *configuration, vz_error *err)
{
    const vz_json *kind = vz_json_get(configuration, "kind"), *list = vz_json_get(configuration, "chunk_shapes");
    if (!vz_json_is(kind, "inline"))
        return vz_fail(err, VZ_UNSUPPORTED,
                       "zarr.json: chunk grid \"" RECTILINEAR "\" whose \"kind\" is not \"inline\"");
    if (vz_json_kind_of(list) != VZ_JSON_ARRAY || vz_json_length(list) != meta->rank)
        return vz_fail(err, VZ_CORRUPT, "zarr.json: \"chunk_shapes\" is no list of %u lists", meta->rank);
    if (meta->rank == 0)
        return true;
    if (!(meta->edges = calloc(meta->rank, sizeof *meta->edges)))
        return vz_fail_memory(err);
    for (unsigned d = 0; d < meta->rank; d++) {
        const vz_json *value = vz_json_at(list, d);
        if (!(vz_json_kind_of(value) == VZ_JSON_INTEGER ? parse_uniform(&meta->edges[d], value, d, err)
                                                        : parse_list(&meta->edges[d], value, d, meta->shape[d], err)))
            return false;
        meta->chunks[d] = longest(&meta->edges[d], meta->shape[d]);
    }
    return true;
}

bool vz_v3_grid_parse(vz_meta *meta, const vz_json *grid, vz_error *err)
{
    const char *name = vz_v3_name(grid);
    if (strcmp(name, "regular") == 0)
        return parse_regular(meta, vz_v3_configuration(grid), err);
    return strcmp(name, RECTILINEAR) == 0 ? parse_rectilinear(meta, vz_v3_configuration(grid), err)
                                          : vz_fail(err, VZ_UNSUPPORTED, "zarr.json: chunk grid \"%.100s\"", name);
}

/* ---- printing ---- */

static vz_json *print_run(const vz_meta_run *run, vz_error *err)
{
    return run->count == 1 ? vz_json_uint64(run->edge, err)
                           : vz_meta_print_sizes((uint64_t[]){run->edge, run->count}, 2, err);
}

static vz_json *print_edges(const vz_meta_edges *edges, vz_error *err)
{
    if (edges->uniform)
        return vz_json_uint64(edges->runs[0].edge, err);
    vz_json *list = vz_json_array(err);
    for (size_t i = 0; list && i < edges->count; i++)
        if (!vz_json_append(list, print_run(&edges->runs[i], err), err)) {
            vz_json_free(list);
            return NULL;
        }
    return list;
}

static vz_json *print_rectilinear(const vz_meta *meta, const vz_meta_edges *edges, vz_error *err)
{
    vz_json *shapes = vz_json_array(err), *configuration = shapes ? vz_json_object(err) : NULL;
    bool ok = configuration != NULL;
    for (unsigned d = 0; ok && d < meta->rank; d++)
        ok = vz_json_append(shapes, print_edges(&edges[d], err), err);
    if (ok && vz_json_set_text(configuration, "kind", "inline", err)) {
        if (vz_json_set(configuration, "chunk_shapes", shapes, err))
            return vz_v3_extension(RECTILINEAR, configuration, true, err);
        shapes = NULL;
    }
    vz_json_free(shapes);
    vz_json_free(configuration);
    return NULL;
}

vz_json *vz_v3_grid_print(const vz_meta *meta, vz_error *err)
{
    if (meta->edges || meta->shard_edges)
        return print_rectilinear(meta, meta->edges ? meta->edges : meta->shard_edges, err);
    const uint64_t *sizes = meta->shard_levels ? meta->shards[0].shape : meta->chunks;
    vz_json *configuration = vz_json_object(err);
    if (configuration && vz_json_set(configuration, "chunk_shape", vz_meta_print_sizes(sizes, meta->rank, err), err))
        return vz_v3_extension("regular", configuration, true, err);
    vz_json_free(configuration);
    return NULL;
}
