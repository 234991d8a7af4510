/* choose.c - which way is the best, by numbers alone. */
#include "command/advise/advise_internal.h"
#include <math.h>

/* How much they count beside the patterns of reading, which are 1 together. */
#define STORED_WEIGHT 1
#define WRITE_WEIGHT  0.1
/* A way that is better by less than that is no reason to leave an earlier one: about a tenth. */
#define MARGIN 0.1
/* To store without a codec is advised only where the smallest way takes at least so much of its
 * bytes. Reading from memory does not show a disk. */
#define PLAIN_SHARE 0.9

#define FILES_MANY  1000
#define FILES_SMALL ((uint64_t)64 << 10) /* bytes of a file, on average */
#define DOCUMENTS   2                    /* files of a dataset beside its chunks */

bool vz_advise_goal_parse(const char *word, vz_advise_goal *goal)
{
    static const char *const words[] = {"all", "whole", "rows", "columns", "random-rows"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0) {
            *goal = (vz_advise_goal)i;
            return true;
        }
    return false;
}

/* Numbers of a way: reading in each pattern, stored bytes, writing. */
#define NUMBERS (VZ_TRIAL_COUNT + 2)

static double number_of(const vz_trial *trial, unsigned i)
{
    const double number = i < VZ_TRIAL_COUNT    ? (double)trial->read_ns[i]
                          : i == VZ_TRIAL_COUNT ? (double)trial->stored
                                                : (double)trial->write_ns;
    return number > 1 ? number : 1; /* a time of zero is one that no clock shows */
}

static double weight_of(vz_advise_goal goal, unsigned i)
{
    if (i >= VZ_TRIAL_COUNT)
        return i == VZ_TRIAL_COUNT ? STORED_WEIGHT : WRITE_WEIGHT;
    return goal == VZ_ADVISE_ALL ? 1.0 / VZ_TRIAL_COUNT : goal - 1 == i ? 1 : 0;
}

/* The mean of how many times more than the best of each kind it takes, as a logarithm. */
static double cost_of(const vz_trial *trial, const double *best, vz_advise_goal goal)
{
    double cost = 0;
    for (unsigned i = 0; i < NUMBERS; i++)
        cost += weight_of(goal, i) * log(number_of(trial, i) / best[i]);
    return cost;
}

static bool may_be_chosen(const vz_advise_way *way, const double *best)
{
    const bool is_plain = way->compress && strcmp(way->compress, "none") == 0;
    return way->trial.is_measured &&
           (!is_plain || best[VZ_TRIAL_COUNT] >= PLAIN_SHARE * number_of(&way->trial, VZ_TRIAL_COUNT));
}

unsigned vz_advise_choose(const vz_advise_ways *ways, vz_advise_goal goal)
{
    double best[NUMBERS], least = INFINITY;
    for (unsigned i = 0; i < NUMBERS; i++) {
        best[i] = INFINITY;
        for (unsigned k = 0; k < ways->count; k++)
            if (ways->list[k].trial.is_measured)
                best[i] = fmin(best[i], number_of(&ways->list[k].trial, i));
    }
    for (unsigned k = 0; k < ways->count; k++)
        if (may_be_chosen(&ways->list[k], best))
            least = fmin(least, cost_of(&ways->list[k].trial, best, goal));
    for (unsigned k = 0; k < ways->count; k++)
        if (may_be_chosen(&ways->list[k], best) && cost_of(&ways->list[k].trial, best, goal) <= least + MARGIN)
            return k;
    return ways->count;
}

bool vz_advise_one_file(const vz_trial_source *source, uint64_t *files)
{
    uint64_t documents;
    if (!vz_mul(source->datasets, DOCUMENTS, &documents) || !vz_add(source->chunks, documents, files))
        *files = UINT64_MAX;
    return *files >= FILES_MANY && source->bytes / *files < FILES_SMALL;
}
