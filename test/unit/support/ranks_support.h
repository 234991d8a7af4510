/* ranks_support.h - what the tests of several ranks share: forked ranks that make, open, change and close one store. */
#ifndef VZ_TEST_RANKS_SUPPORT_H
#define VZ_TEST_RANKS_SUPPORT_H

#include "fork_comm.h"
#include "hierarchy/edit/edit.h"
#include "hierarchy/open/open.h"
#include "hierarchy/edit/ranks.h"
#include "hierarchy/writeback/writeback.h"
#include "node_support.h"

enum { RANKS = 3, SIDE = 10, CHUNK = 4 };
static int64_t format = 2; /* of stores and documents */

static inline vz_hierarchy *open_turn(vz_comm *comm, const char *path, vz_path_open_mode mode, vz_node **start)
{
    vz_error err = VZ_ERROR_NONE;
    vz_hierarchy *h = NULL;
    vz_options options = default_options();
    options.format = format;
    vz_path_result *found = vz_path_find(path, &err);
    need(found);
    vz_ranks_share_found(found, comm);
    need(vz_open_found(found, mode, &options, &h, start, &err));
    vz_path_result_free(found);
    return h;
}

/* The leader makes the store, the others open it. */
static inline vz_hierarchy *open_together(vz_comm *comm, const char *path, vz_node **start)
{
    vz_error err = VZ_ERROR_NONE;
    vz_hierarchy *h = NULL;
    if (vz_comm_leads(comm)) {
        h = open_turn(comm, path, VZ_CREATE_TRUNCATE, start);
        need(vz_flush_store(h, false, &err));
    }
    need(vz_comm_agree(comm, true, &err));
    if (!vz_comm_leads(comm))
        h = open_turn(comm, path, VZ_OPEN_WRITE, start);
    need(vz_comm_agree(comm, true, &err) && vz_ranks_joined(h, &err));
    return h;
}

static inline void close_together(vz_comm *comm, vz_hierarchy *h, vz_node *start)
{
    vz_error err = VZ_ERROR_NONE;
    need(vz_ranks_begin(h, true, &err));
    need(vz_ranks_end(h, vz_flush_finish(h, false, &err), true, &err));
    vz_node_unref(start);
    need(vz_close_hierarchy(h, &err));
}

static inline vz_node *array_of(vz_hierarchy *h, const char *document, vz_error *err)
{
    vz_json *json = json_of(document);
    vz_meta *meta = format == 3 ? vz_meta_parse_v3(json, err) : vz_meta_parse_v2(json, err);
    vz_json_free(json);
    return meta ? vz_node_new_array(h, meta, err) : NULL;
}

#define SQUARE                                                                                                         \
    "{'shape':[10,10],'chunks':[4,4],'dtype':'<i4','fill_value':-1,'order':'C','filters':null,"                        \
    "'dimension_separator':'.','compressor':null,'zarr_format':2}"

static inline vz_node *create(vz_comm *comm, vz_hierarchy *h, vz_node *group, const char *name, const char *document)
{
    vz_error err = VZ_ERROR_NONE;
    vz_node *node = NULL;
    need(vz_ranks_begin(h, false, &err));
    bool ok = (node = array_of(h, document, &err)) && vz_edit_link(node, group, name, false, &err);
    need(vz_ranks_end(h, ok, false, &err));
    return node;
}

static inline int32_t value_at(uint64_t row, uint64_t column)
{
    return (int32_t)(row * 100 + column);
}

static inline bool move_row(vz_node *node, uint64_t row, int32_t *values, bool reading, vz_error *err)
{
    const vz_region region = {.rank = 2,
                              .start = {row, 0},
                              .stride = {1, 1},
                              .count = {1, 1},
                              .block = {1, SIDE},
                              .memory_stride = {SIDE, 1}};
    const vz_transfer transfer = {.region = &region, .buffer = values, .element_size = sizeof *values};
    vz_array *io = vz_node_io(node, err);
    return io && (reading ? vz_array_read(io, &transfer, err)
                          : vz_array_write(io, &transfer, err) && vz_flush_after_write(node, err));
}

static inline bool write_row(vz_node *node, uint64_t row, vz_error *err)
{
    int32_t values[SIDE];
    for (uint64_t i = 0; i < SIDE; i++)
        values[i] = value_at(row, i);
    return move_row(node, row, values, false, err);
}

static inline void change(vz_comm *comm, vz_hierarchy *h, bool (*make)(vz_hierarchy *h, vz_error *err))
{
    vz_error err = VZ_ERROR_NONE;
    need(vz_ranks_begin(h, false, &err));
    need(vz_ranks_end(h, make(h, &err), false, &err));
}

static inline bool delete_a(vz_hierarchy *h, vz_error *err)
{
    return vz_edit_unlink(vz_hierarchy_root(h), "a", err);
}

/* ---- outside of the ranks ---- */

typedef struct place {
    char *scratch, *store;
} place;

static inline int set_up(void **state)
{
    place *p = calloc(1, sizeof *p);
    p->scratch = scratch_new();
    p->store = scratch_path(p->scratch, "s.zarr");
    *state = p;
    return 0;
}

static inline int tear_down(void **state)
{
    place *p = *state;
    scratch_remove(p->scratch);
    free(p->store);
    free(p);
    return 0;
}

#endif
