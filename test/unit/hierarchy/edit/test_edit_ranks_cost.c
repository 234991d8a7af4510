/* test_edit_ranks_cost.c - what a store costs the ranks that write it together: messages and their bytes, requests
 * and documents. None of it grows with the number of ranks, but what each of them has to say. */
#include "hierarchy/open/open.h"
#include "hierarchy/writeback/writeback.h"
#include "remote/bucket/bucket.h"
#include "ranks_support.h"
#include <inttypes.h>

enum { LENGTH = 16, ARRAYS = 3, ROWS = 64, PARCEL = 40 /* bytes that tell whose elements follow, at most */ };
static const int numbers[] = {2, 8, FORK_RANKS_MAX};

/* Nobody waits more often than this: a change is a message to the leader and one from it. */
static void counted(vz_comm *comm, void *path)
{
    vz_error err = VZ_ERROR_NONE;
    vz_node *root;
    vz_hierarchy *h = open_together(comm, path, &root);
    vz_node *node = create(comm, h, root, "b", SQUARE);
    const fork_calls *calls = &((fork_comm *)comm)->calls;
    fork_calls before = *calls;
    vz_node_unref(create(comm, h, root, "a", SQUARE));
    change(comm, h, delete_a);
    need(vz_ranks_begin(h, true, &err) && vz_ranks_end(h, vz_flush_store(h, false, &err), true, &err));
    need(calls->most_for_leader - before.most_for_leader == 3 && calls->broadcast - before.broadcast == 3);
    need(calls->most == before.most && calls->exchange == before.exchange);
    /* Elements: nobody has parts, then all have. */
    before = *calls;
    need(vz_ranks_share_begin(node, &err) && vz_ranks_share_end(node, true, &err));
    need(calls->most - before.most == 1 && calls->exchange == before.exchange);
    bool ok = vz_ranks_share_begin(node, &err) && write_row(node, (uint64_t)comm->rank, &err);
    need(vz_ranks_share_end(node, ok, &err));
    need(calls->most - before.most == 5 && calls->exchange - before.exchange == 2);
    need(calls->broadcast == before.broadcast && calls->most_for_leader == before.most_for_leader);
    /* Each by itself: nobody waits. */
    before = *calls;
    need(write_row(node, (uint64_t)comm->rank, &err) && vz_ranks_write_through(node, &err));
    need(memcmp(&before, calls, sizeof before) == 0);
    vz_node_unref(node);
    close_together(comm, h, root);
}

/* ---- what ranks note, for who started them ---- */

typedef struct phase {
    fork_calls calls;
    vz_store_counts store;
} phase;

enum { OPENED, CREATED, WRITTEN, CLOSED, PHASES };

static struct report {
    phase of[FORK_RANKS_MAX][PHASES]; /* all until then */
} * report;

static void note(vz_comm *comm, const vz_hierarchy *h, int when)
{
    report->of[comm->rank][when] = (phase){((fork_comm *)comm)->calls, vz_store_counted(h->store)};
}

#define IN(rank, when, what) (report->of[rank][when].what - report->of[rank][(when)-1].what)

/* The same number for all ranks, as calls that all of them make are; which. */
static int calls_of_each(int ranks, int when, const char *what)
{
    int first = 0;
    for (int r = 0; r < ranks; r++) {
        const fork_calls *now = &report->of[r][when].calls, *before = &report->of[r][when - 1].calls;
        const int count = strcmp(what, "most") == 0        ? now->most - before->most
                          : strcmp(what, "exchange") == 0  ? now->exchange - before->exchange
                          : strcmp(what, "to leader") == 0 ? now->most_for_leader - before->most_for_leader
                                                           : now->broadcast - before->broadcast;
        if (r == 0)
            first = count;
        assert_int_equal(count, first);
    }
    return first;
}

static uint64_t requests(int rank, int when)
{
    return IN(rank, when, store.gets) + IN(rank, when, store.puts) + IN(rank, when, store.dels) +
           IN(rank, when, store.lists) + IN(rank, when, store.stats) + IN(rank, when, store.renames);
}

/* ---- elements of one dimension, which tell where they are ---- */

typedef struct line {
    uint64_t start, stride, count, block;
} line;

static bool move_line(vz_node *node, line l, bool reading, vz_error *err)
{
    const uint64_t total = l.count * l.block;
    int32_t *values = malloc(total * sizeof *values + 1);
    const vz_region region = {.rank = 1,
                              .start = {l.start},
                              .stride = {l.stride},
                              .count = {l.count},
                              .block = {l.block},
                              .memory_stride = {1}};
    const vz_transfer transfer = {.region = &region, .buffer = values, .element_size = sizeof *values};
    for (uint64_t i = 0; !reading && i < total; i++)
        values[i] = (int32_t)(l.start + i / l.block * l.stride + i % l.block);
    vz_array *io = vz_node_io(node, err);
    bool ok = io && (reading ? vz_array_read(io, &transfer, err)
                             : vz_array_write(io, &transfer, err) && vz_flush_after_write(node, err));
    for (uint64_t i = 0; ok && reading && i < total; i++)
        ok = values[i] == (int32_t)(l.start + i / l.block * l.stride + i % l.block);
    free(values);
    return ok;
}

static void write_line(vz_comm *comm, vz_node *node, line l)
{
    vz_error err = VZ_ERROR_NONE;
    const bool ok = vz_ranks_share_begin(node, &err) && (l.count == 0 || move_line(node, l, false, &err));
    need(vz_ranks_share_end(node, ok, &err));
}

static vz_node *create_line(vz_comm *comm, vz_hierarchy *h, vz_node *root, const char *name, uint64_t size,
                            uint64_t chunk, uint64_t shard)
{
    char document[1000];
    if (format == 2)
        snprintf(document, sizeof document,
                 "{'shape':[%" PRIu64 "],'chunks':[%" PRIu64 "],'dtype':'<i4','fill_value':-1,'order':'C',"
                 "'filters':null,'dimension_separator':'.','compressor':null,'zarr_format':2}",
                 size, chunk);
    else
        snprintf(document, sizeof document,
                 "{'shape':[%" PRIu64 "],'data_type':'int32','chunk_grid':{'name':'regular','configuration':"
                 "{'chunk_shape':[%" PRIu64 "]}},'chunk_key_encoding':{'name':'default'},'fill_value':-1,'codecs':[{"
                 "'name':'sharding_indexed','configuration':{'chunk_shape':[%" PRIu64 "],'codecs':[{'name':'bytes',"
                 "'configuration':{'endian':'little'}}],'index_codecs':[{'name':'bytes','configuration':{'endian':"
                 "'little'}},{'name':'crc32c'}]}}],'attributes':{},'zarr_format':3,'node_type':'array'}",
                 size, shard, chunk);
    return create(comm, h, root, name, document);
}

/* ---- more and more ranks, each with as much as before ---- */

/* Rows that end in the middle of a chunk, of which the next rank has the rest. */
static line rows_of(const vz_comm *comm)
{
    const uint64_t low = comm->rank ? (uint64_t)comm->rank * ROWS + LENGTH / 2 : 0;
    const uint64_t high =
        comm->rank + 1 < comm->size ? (uint64_t)(comm->rank + 1) * ROWS + LENGTH / 2 : (uint64_t)comm->size * ROWS;
    return (line){low, 1, 1, high - low};
}

static void grow(vz_comm *comm, void *path)
{
    vz_error err = VZ_ERROR_NONE;
    vz_node *root, *arrays[ARRAYS];
    vz_hierarchy *h = open_together(comm, path, &root);
    char name[] = "a0";
    note(comm, h, OPENED);
    for (int i = 0; i < ARRAYS; i++, name[1]++)
        arrays[i] = create_line(comm, h, root, name, (uint64_t)comm->size * ROWS, LENGTH, 0);
    note(comm, h, CREATED);
    for (int i = 0; i < ARRAYS; i++)
        write_line(comm, arrays[i], rows_of(comm));
    note(comm, h, WRITTEN);
    need(vz_ranks_begin(h, true, &err) && vz_ranks_end(h, vz_flush_finish(h, false, &err), true, &err));
    need(!h->consolidation.met_foreign); /* what the leader wrote is nobody's surprise */
    note(comm, h, CLOSED);
    for (int i = 0; i < ARRAYS; i++)
        vz_node_unref(arrays[i]);
    vz_node_unref(root);
    need(vz_close_hierarchy(h, &err));
}

static void check_growth(int ranks, uint64_t *of_leader)
{
    uint64_t chunks = 0;
    assert_int_equal(calls_of_each(ranks, CREATED, "to leader"), ARRAYS);
    assert_int_equal(calls_of_each(ranks, CREATED, "from leader"), ARRAYS);
    assert_int_equal(calls_of_each(ranks, WRITTEN, "most"), 4 * ARRAYS);
    assert_int_equal(calls_of_each(ranks, WRITTEN, "exchange"), 2 * ARRAYS);
    assert_int_equal(calls_of_each(ranks, WRITTEN, "from leader"), 0);
    assert_int_equal(calls_of_each(ranks, CLOSED, "to leader"), 1);
    assert_int_equal(calls_of_each(ranks, CLOSED, "most") + calls_of_each(ranks, CLOSED, "exchange"), 0);
    for (int r = 0; r < ranks; r++) {
        /* Two halves of chunks at most go to others. */
        assert_in_range(IN(r, WRITTEN, calls.sent), 0, ARRAYS * 2 * (PARCEL + LENGTH / 2 * sizeof(int32_t)));
        assert_int_equal(IN(r, WRITTEN, store.bytes_read), 0);
        chunks += IN(r, WRITTEN, store.puts);
        if (r > 0) { /* looks once at what is in the group */
            assert_int_equal(requests(r, CREATED), IN(r, CREATED, store.lists));
            assert_in_range(requests(r, CREATED) + requests(r, CLOSED), 0, 1);
        }
    }
    assert_int_equal(chunks, (uint64_t)ranks * ARRAYS * ROWS / LENGTH);                   /* each is put once */
    assert_int_equal(IN(0, CREATED, store.puts) + IN(0, CLOSED, store.puts), ARRAYS + 1); /* and one copy of all */
    *of_leader = requests(0, CREATED) + requests(0, CLOSED);
}

static void as_many_ranks_as_there_are(void **state)
{
    place *p = *state;
    uint64_t few = 0, many;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        assert_true(on_ranks(numbers[i], grow, p->store));
        check_growth(numbers[i], &many);
        few = i == 0 ? many : few;
        assert_int_equal(many, few);
    }
}

/* ---- one of thousands ---- */

/* A communicator of which this process is all that is real: the others agree with it, and have nothing for it. */
static bool crowd_most(vz_comm *comm, int *all, int count, vz_error *err)
{
    (void)all, (void)count, (void)err;
    calls_of(comm)->most++;
    return true;
}

static bool crowd_most_for_leader(vz_comm *comm, int *all, int count, vz_error *err)
{
    (void)all, (void)count, (void)err;
    calls_of(comm)->most_for_leader++;
    return true;
}

static bool crowd_broadcast(vz_comm *comm, void *bytes, size_t size, int from, vz_error *err)
{
    (void)bytes, (void)size, (void)from, (void)err;
    calls_of(comm)->broadcast++;
    return true;
}

static bool crowd_exchange_sizes(vz_comm *comm, const uint64_t *to, uint64_t *from, vz_error *err)
{
    (void)to, (void)err;
    calls_of(comm)->exchange++;
    memset(from, 0, (size_t)comm->size * sizeof *from);
    return true;
}

static bool crowd_exchange(vz_comm *comm, const void *to, const int *to_sizes, const int *to_places, void *from,
                           const int *from_sizes, const int *from_places, vz_error *err)
{
    (void)to, (void)to_places, (void)from, (void)from_sizes, (void)from_places, (void)err;
    calls_of(comm)->exchange++;
    for (int r = 0; r < comm->size; r++)
        calls_of(comm)->sent += (uint64_t)to_sizes[r];
    return true;
}

static const vz_comm_class crowd_class = {.most = crowd_most,
                                          .most_for_leader = crowd_most_for_leader,
                                          .broadcast = crowd_broadcast,
                                          .exchange_sizes = crowd_exchange_sizes,
                                          .exchange = crowd_exchange,
                                          .is_same = fork_is_same,
                                          .free = fork_free};

static void lead_crowd(const place *p, int size)
{
    vz_comm *comm = fork_comm_new(NULL, VZ_LEADER, size);
    comm->class = &crowd_class;
    grow(comm, p->store);
}

/* The leader of 4096 ranks asks the store for as much as that of four, and sends as much. */
static void leader_of_thousands(void **state)
{
    const place *p = *state;
    lead_crowd(p, 4);
    const struct report few = *report;
    lead_crowd(p, 4096);
    for (int when = CREATED; when <= CLOSED; when++) {
        const phase *now = &few.of[0][when], *before = &few.of[0][when - 1];
        assert_int_equal(IN(0, when, store.puts), now->store.puts - before->store.puts);
        assert_int_equal(IN(0, when, store.gets), now->store.gets - before->store.gets);
        assert_int_equal(IN(0, when, store.lists), now->store.lists - before->store.lists);
        assert_int_equal(IN(0, when, store.stats), now->store.stats - before->store.stats);
        assert_int_equal(IN(0, when, calls.most), now->calls.most - before->calls.most);
        assert_int_equal(IN(0, when, calls.exchange), now->calls.exchange - before->calls.exchange);
        assert_int_equal(IN(0, when, calls.broadcast), now->calls.broadcast - before->calls.broadcast);
        assert_int_equal(IN(0, when, calls.most_for_leader),
                         now->calls.most_for_leader - before->calls.most_for_leader);
    }
    assert_in_range(IN(0, WRITTEN, calls.sent), 1, ARRAYS * (PARCEL + LENGTH / 2 * sizeof(int32_t)));
}

/* ---- all ranks have a little of every chunk ---- */

static struct thin {
    uint64_t size, chunk, block, shard;
} thin;

static uint64_t own_count(const vz_comm *comm)
{
    return thin.size / thin.block / (uint64_t)comm->size;
}

static void interleave(vz_comm *comm, void *path)
{
    vz_node *root;
    vz_hierarchy *h = open_together(comm, path, &root);
    const uint64_t rank = (uint64_t)comm->rank, ranks = (uint64_t)comm->size;
    h->ranks.without_locks = thin.shard == 0; /* nothing is stored in parts */
    vz_node *node = create_line(comm, h, root, "a", thin.size, thin.chunk, thin.shard);
    note(comm, h, CREATED);
    write_line(comm, node, (line){rank * thin.block, ranks * thin.block, own_count(comm), thin.block});
    note(comm, h, WRITTEN);
    vz_error err = VZ_ERROR_NONE;
    need(rank > 0 || move_line(node, (line){0, 1, 1, thin.size}, true, &err));
    vz_node_unref(node);
    close_together(comm, h, root);
}

static void check_interleaved(const place *p, int ranks, struct thin how)
{
    const uint64_t chunks = how.size / how.chunk, values = how.shard ? how.size / how.shard : chunks;
    uint64_t puts = 0;
    thin = how;
    assert_true(on_ranks(ranks, interleave, p->store));
    for (int r = 0; r < ranks; r++) {
        const uint64_t bytes = how.size / (uint64_t)ranks * sizeof(int32_t);
        assert_in_range(IN(r, WRITTEN, calls.sent), 1, bytes + bytes / 8 + chunks * PARCEL);
        assert_int_equal(calls_of_each(ranks, WRITTEN, "most"), 4);
        puts += IN(r, WRITTEN, store.puts);
        assert_int_equal(IN(r, WRITTEN, store.bytes_read), 0);
    }
    assert_int_equal(puts, values); /* each once, and nothing is read */
}

static void thin_parts(void **state)
{
    const place *p = *state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        check_interleaved(p, numbers[i], (struct thin){.size = 1 << 15, .chunk = 1 << 12, .block = 16});
}

/* More chunks than a rank gathers decoded: 96 MiB of which each has parts. */
static void more_than_is_gathered(void **state)
{
    const place *p = *state;
    check_interleaved(p, 4, (struct thin){.size = 24 << 20, .chunk = 1 << 20, .block = 1 << 12});
    format = 3;
    check_interleaved(p, 4, (struct thin){.size = 24 << 20, .chunk = 1 << 19, .block = 1 << 12, .shard = 1 << 21});
    format = 2;
}

static void counting(void **state)
{
    const place *p = *state;
    assert_true(on_ranks(RANKS, counted, p->store));
}

int main(void)
{
    vz_store_set_kinds(vz_bucket_all_kinds);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(counting, set_up, tear_down),
        cmocka_unit_test_setup_teardown(as_many_ranks_as_there_are, set_up, tear_down),
        cmocka_unit_test_setup_teardown(leader_of_thousands, set_up, tear_down),
        cmocka_unit_test_setup_teardown(thin_parts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(more_than_is_gathered, set_up, tear_down),
    };
    report = mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
