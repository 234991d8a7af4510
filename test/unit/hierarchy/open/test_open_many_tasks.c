/* test_open_many_tasks.c - thousands of processes over one remote store: how the number of requests, of
 * documents written and of round trips grows with ranks, arrays and chunks. Each rank is a hierarchy with a slow store
 * of its own over the same memory, 50 ms for an answer and 64 requests under way; all have the store open at once.
 * `unit_test_open_many_tasks print` prints the tables of docs/clusters.md. */
#include "store/layers/layer_internal.h"
#include "hierarchy/edit/edit.h"
#include "hierarchy/open/open_internal.h"
#include "hierarchy/open/open.h"
#include "hierarchy/writeback/writeback.h"
#include "slow_store.h"
#include "node_support.h"
#include <inttypes.h>

enum { LATENCY = 50, IN_FLIGHT = 64, RANKS_MAX = 4000 };

/* ---- what all ranks share ---- */

typedef struct shared_store {
    vz_layer stacked;
} shared_store;

static struct {
    vz_store *memory;
    _Atomic uint64_t documents, chunks; /* that were put, by workers too */
} all;

static void count_put(const char *key)
{
    const char *slash = strrchr(key, '/'), *name = slash ? slash + 1 : key;
    const bool is_document = *name == '.' || strcmp(name, "zarr.json") == 0;
    *(is_document ? &all.documents : &all.chunks) += 1;
}

static bool shared_put(vz_store *store, const char *key, vz_bytes value, vz_error *err)
{
    count_put(key);
    return vz_store_put(((vz_layer *)store)->below, key, value, err);
}

static bool shared_put_new(vz_store *store, const char *key, vz_bytes value, vz_error *err)
{
    count_put(key);
    return vz_store_put_new(((vz_layer *)store)->below, key, value, err);
}

static bool shared_change(vz_store *store, const char *key, const vz_bytes *value, const vz_version *version,
                          vz_version *now, vz_error *err)
{
    if (value)
        count_put(key);
    return vz_store_change(((vz_layer *)store)->below, key, value, version, now, err);
}

/* The memory stays for the other ranks. */
static void shared_close(vz_store *store)
{
    free(store->path);
    free(store);
}

/* ---- a rank ---- */

typedef struct rank {
    slow_store *slow;
    vz_hierarchy *h;
} rank;

static rank open_rank(bool create, vz_option_consolidated consolidated)
{
    rank r;
    vz_options options = default_options();
    options.consolidated = consolidated;
    vz_layer *shared = vz_layer_new(all.memory, sizeof(shared_store), "shared", NULL);
    assert_non_null(shared);
    shared->class.put = shared_put;
    shared->class.put_stamped = NULL;
    shared->class.put_new = shared_put_new;
    shared->class.change = shared->class.change ? shared_change : NULL;
    shared->class.close = shared_close;
    r.slow = slow_store_over(&shared->base, LATENCY, IN_FLIGHT);
    must((r.h = vz_open_hierarchy_over(&r.slow->layer.base, "memory", &options, true, create, &err)));
    return r;
}

/* What it asked for, in how many round trips one after the other. */
typedef struct cost {
    uint64_t requests, rounds;
} cost;

static cost close_rank(rank *r)
{
    must(vz_flush_finish(r->h, false, &err));
    const cost c = {r->slow->requests, slow_rounds(r->slow)};
    must(vz_close_hierarchy(r->h, &err));
    return c;
}

static const char *array_name(unsigned i)
{
    static char name[16];
    snprintf(name, sizeof name, "a%u", i);
    return name;
}

static void write_range(vz_node *array, uint64_t start, uint64_t count, int32_t first)
{
    int32_t *values = malloc(count * sizeof *values);
    for (uint64_t i = 0; i < count; i++)
        values[i] = first + (int32_t)i;
    vz_region region = {
        .rank = 1, .start = {start}, .stride = {1}, .count = {count}, .block = {1}, .memory_stride = {1}};
    vz_transfer transfer = {.region = &region, .buffer = values, .element_size = 4};
    must(vz_node_io(array, &err) && vz_array_write(array->io, &transfer, &err) && vz_flush_after_write(array, &err));
    free(values);
}

/* A new store with `arrays` of `elements`, two of them a chunk. What it costs the rank that makes it. */
static cost make_store(unsigned arrays, uint64_t elements)
{
    must((all.memory = vz_store_new_memory(&err)));
    rank r = open_rank(true, VZ_CONSOLIDATED_AUTO);
    for (unsigned i = 0; i < arrays; i++) {
        vz_node *node = NULL;
        vz_meta *meta = new_meta();
        meta->shape[0] = elements;
        must((node = vz_node_new_array(r.h, meta, &err)) && vz_edit_link(node, r.h->root, array_name(i), false, &err));
        vz_node_unref(node);
    }
    const cost c = close_rank(&r);
    all.documents = 0;
    all.chunks = 0;
    return c;
}

static void drop_store(void)
{
    vz_store_close(all.memory);
}

static void assert_elements(unsigned arrays, uint64_t elements)
{
    rank r = open_rank(false, VZ_CONSOLIDATED_AUTO);
    int32_t *values = calloc(elements, sizeof *values);
    for (unsigned a = 0; a < arrays; a++) {
        vz_node *array = find(r.h->root, array_name(a));
        vz_region region = {.rank = 1, .stride = {1}, .count = {elements}, .block = {1}, .memory_stride = {1}};
        vz_transfer transfer = {.region = &region, .buffer = values, .element_size = 4};
        must(vz_node_io(array, &err) && vz_array_read(array->io, &transfer, &err));
        for (uint64_t i = 0; i < elements; i++)
            assert_int_equal(values[i], (int32_t)i);
    }
    free(values);
    must(vz_close_hierarchy(r.h, &err));
}

/* ---- whole chunks ---- */

/* All ranks open the store, all write `each` elements of each array from `shift` on, all close. Elements tell where
 * they are. The cost of the dearest rank. */
static cost write_by_ranks(unsigned ranks, unsigned arrays, uint64_t each, uint64_t shift, cost *total)
{
    rank *open = calloc(ranks, sizeof *open);
    cost most = {0};
    *total = (cost){0};
    for (unsigned i = 0; i < ranks; i++)
        open[i] = open_rank(false, VZ_CONSOLIDATED_AUTO);
    for (unsigned i = 0; i < ranks; i++)
        for (unsigned a = 0; a < arrays; a++)
            write_range(find(open[i].h->root, array_name(a)), i * each + shift, each, (int32_t)(i * each + shift));
    for (unsigned i = 0; i < ranks; i++) {
        const cost c = close_rank(&open[i]);
        most.requests = c.requests > most.requests ? c.requests : most.requests;
        most.rounds = c.rounds > most.rounds ? c.rounds : most.rounds;
        total->requests += c.requests;
        total->rounds += c.rounds;
    }
    free(open);
    return most;
}

static cost whole_chunks(unsigned ranks, unsigned arrays, unsigned chunks)
{
    cost total;
    make_store(arrays, (uint64_t)ranks * chunks * 2);
    const cost most = write_by_ranks(ranks, arrays, 2ull * chunks, 0, &total);
    assert_int_equal(all.documents, 0);
    assert_int_equal(all.chunks, (uint64_t)ranks * arrays * chunks);
    assert_int_equal(total.requests, ranks * most.requests); /* each asks for as much as any other */
    assert_elements(arrays, (uint64_t)ranks * chunks * 2);
    drop_store();
    return most;
}

/* A rank does not notice how many others there are. No document is written. */
static void more_ranks(void **state)
{
    (void)state;
    const cost few = whole_chunks(4, 1, 2);
    for (unsigned ranks = 40; ranks <= RANKS_MAX; ranks *= 10) {
        const cost many = whole_chunks(ranks, 1, 2);
        assert_int_equal(many.requests, few.requests);
        assert_int_equal(many.rounds, few.rounds);
    }
}

/* Each chunk is one request, each array a number of them, in rounds of 64. */
static void more_arrays_and_chunks(void **state)
{
    (void)state;
    const cost one = whole_chunks(8, 1, 1), chunks = whole_chunks(8, 1, 1001);
    assert_int_equal(chunks.requests, one.requests + 1000);
    assert_in_range(chunks.rounds, 1, one.rounds + 2 * (1000 / IN_FLIGHT)); /* threads that are slow leave some room */
    const cost ten = whole_chunks(8, 10, 2), twenty = whole_chunks(8, 20, 2), thirty = whole_chunks(8, 30, 2);
    assert_int_equal(thirty.requests - twenty.requests, twenty.requests - ten.requests);
    assert_in_range(twenty.requests - ten.requests, 1, 10 * (2 + 6));
}

/* ---- chunks that two ranks share ---- */

static cost shared_chunks(unsigned ranks)
{
    cost total;
    make_store(1, 2ull * ranks + 1);
    rank first = open_rank(false, VZ_CONSOLIDATED_AUTO);
    write_range(find(first.h->root, "a0"), 0, 1, 0);
    close_rank(&first);
    const cost most = write_by_ranks(ranks, 1, 2, 1, &total); /* two halves of two chunks */
    assert_int_equal(all.documents, 0);
    assert_elements(1, 2ull * ranks + 1);
    drop_store();
    return most;
}

/* Both read the chunk before either writes it: who comes second reads it once more. */
static void parts_of_chunks(void **state)
{
    (void)state;
    const cost few = shared_chunks(4);
    assert_in_range(few.requests, 1, whole_chunks(4, 1, 2).requests + 2 * 5);
    for (unsigned ranks = 40; ranks <= RANKS_MAX; ranks *= 10)
        assert_int_equal(shared_chunks(ranks).requests, few.requests);
}

/* ---- rank 0 ---- */

/* Makes the arrays, has them open while all others write, and closes last: what it costs has to do with its documents
 * alone. */
static cost rank_zero(unsigned ranks, unsigned arrays)
{
    cost total;
    make_store(arrays, (uint64_t)ranks * 2);
    rank zero = open_rank(false, VZ_CONSOLIDATED_AUTO);
    for (unsigned a = 0; a < arrays; a++)
        must(vz_node_set_attribute(find(zero.h->root, array_name(a)), "unit", json_of("'mV'"), &err));
    must(vz_flush_store(zero.h, false, &err));
    write_by_ranks(ranks, arrays, 2, 0, &total);
    const uint64_t documents = all.documents;
    const cost c = close_rank(&zero);
    assert_in_range(documents, arrays, arrays + 1);
    assert_int_equal(all.documents, documents + 1); /* the copy of all documents */
    assert_true(has_key(all.memory, ".zmetadata"));
    drop_store();
    return c;
}

static void rank_zero_is_no_bottleneck(void **state)
{
    (void)state;
    const cost few = rank_zero(4, 3), many = rank_zero(400, 3);
    assert_int_equal(few.requests, many.requests);
    assert_int_equal(few.rounds, many.rounds);
    const cost ten = rank_zero(4, 10), twenty = rank_zero(4, 20), thirty = rank_zero(4, 30);
    assert_int_equal(thirty.requests - twenty.requests, twenty.requests - ten.requests);
}

/* ---- ranks that make arrays ---- */

/* Each one in a group that is there, one after the other: the last one finds those of all others there. The copy of all
 * documents is left to somebody else. */
static cost new_arrays(unsigned ranks)
{
    cost last = {0};
    make_store(1, 2);
    for (unsigned i = 0; i < ranks; i++) {
        rank r = open_rank(false, VZ_CONSOLIDATED_IGNORE);
        vz_node *node = new_array(r.h, r.h->root, array_name(i + 1));
        write_elements(node, (int32_t)i);
        vz_node_unref(node);
        last = close_rank(&r);
    }
    assert_int_equal(all.documents, ranks);
    drop_store();
    return last;
}

static void documents_of_ranks(void **state)
{
    (void)state;
    const cost few = new_arrays(4);
    for (unsigned ranks = 40; ranks <= 400; ranks *= 10)
        assert_int_equal(new_arrays(ranks).requests, few.requests);
}

/* ---- */

/* The rows of the two tables, as they stand there: requests, round trips in brackets. */
static void print_tables(void)
{
    static const unsigned numbers[] = {10, 100, 1000, RANKS_MAX};
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const unsigned n = numbers[i];
        const cost costs[] = {whole_chunks(n, 1, 2), shared_chunks(n), new_arrays(n), rank_zero(n, 3)};
        printf("| %u |", n);
        for (unsigned k = 0; k < sizeof costs / sizeof *costs; k++)
            printf(" %" PRIu64 " (%" PRIu64 ") |", costs[k].requests, costs[k].rounds);
        puts("");
    }
    for (unsigned arrays = 1; arrays <= 100; arrays *= 10)
        for (unsigned chunks = 1; chunks <= 1000 && arrays * chunks <= 1000; chunks *= 10) {
            const cost c = whole_chunks(4, arrays, chunks);
            printf("| %u | %u | %" PRIu64 " | %" PRIu64 " |\n", arrays, chunks, c.requests, c.rounds);
        }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_ranks),         cmocka_unit_test(more_arrays_and_chunks),
        cmocka_unit_test(parts_of_chunks),    cmocka_unit_test(rank_zero_is_no_bottleneck),
        cmocka_unit_test(documents_of_ranks),
    };
    if (argc > 1 && strcmp(argv[1], "print") == 0)
        print_tables();
    else
        return cmocka_run_group_tests(tests, NULL, NULL);
    return 0;
}
