/* joint_fetch.c - several reads of one array in one round. Their chunks are one list, so that each
 * shard is looked into once. */
#include "array/array/array_internal.h"
#include "array/chunks/array_state.h"
#include <stdlib.h>

/* Whose chunk it is, and which of that list. */
typedef struct share {
    const vz_fetch_list *of;
    size_t number;
} share;

typedef struct joint {
    vz_fetch_list *lists; /* one for each array */
    size_t count;
    size_t *places; /* of each list of the caller's, the number of its array's */
    vz_fetch *fetches;
    share *shares; /* of each of those */
} joint;

static bool take(void *context, vz_fetch *fetch, size_t index, unsigned worker, vz_error *err)
{
    const share one = ((const share *)context)[index];
    return one.of->take(one.of->context, fetch, one.number, worker, err);
}

static bool open_joint(joint *j, const vz_fetch_list *lists, size_t count, vz_error *err)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += lists[i].count;
    j->lists = calloc(count, sizeof *j->lists);
    j->places = calloc(count, sizeof *j->places);
    j->fetches = calloc(total + 1, sizeof *j->fetches);
    j->shares = calloc(total + 1, sizeof *j->shares);
    return (j->lists && j->places && j->fetches && j->shares) || vz_fail_memory(err);
}

static void close_joint(joint *j)
{
    free(j->lists);
    free(j->places);
    free(j->fetches);
    free(j->shares);
}

static void find_places(joint *j, const vz_fetch_list *lists, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t place = 0;
        while (place < j->count && j->lists[place].array != lists[i].array)
            place++;
        if (place == j->count)
            j->lists[j->count++] = (vz_fetch_list){.array = lists[i].array, .take = take};
        j->places[i] = place;
    }
}

/* Array by array, the lists of each in their order. */
static void fill(joint *j, const vz_fetch_list *lists, size_t count)
{
    size_t next = 0;
    for (size_t place = 0; place < j->count; place++) {
        vz_fetch_list *all = &j->lists[place];
        all->fetches = j->fetches + next;
        all->context = j->shares + next;
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; j->places[i] == place && k < lists[i].count; k++) {
                j->fetches[next] = lists[i].fetches[k];
                j->shares[next++] = (share){&lists[i], k};
            }
        all->count = (size_t)(j->fetches + next - all->fetches);
    }
}

static void give_back(const joint *j, vz_fetch_list *lists, size_t count)
{
    size_t next = 0;
    for (size_t place = 0; place < j->count; place++)
        for (size_t i = 0; i < count; i++) {
            if (j->places[i] != place)
                continue;
            memcpy(lists[i].fetches, j->fetches + next, lists[i].count * sizeof *lists[i].fetches);
            next += lists[i].count;
            lists[i].failed = j->lists[place].failed;
        }
}

bool vz_array_fetch_jointly(vz_fetch_list *lists, size_t count, vz_error *err)
{
    joint j = {0};
    bool ok = open_joint(&j, lists, count, err);
    if (ok) {
        find_places(&j, lists, count);
        fill(&j, lists, count);
        ok = vz_fetch_run(j.lists, j.count, err);
        give_back(&j, lists, count);
    }
    close_joint(&j);
    return ok;
}
