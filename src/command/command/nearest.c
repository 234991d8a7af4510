/* nearest.c - the word that somebody may have meant. */
#include "command/command/command.h"
#include <string.h>

#define WORD_MAX 48 /* letters; a longer word is no misspelling of one of ours */
#define FAR_MAX  2  /* changes of letters, at most */

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Letters to insert, remove, replace, or exchange with their neighbour, until `a` is `b`. */
static unsigned distance(const char *a, const char *b)
{
    unsigned rows[3][WORD_MAX + 1] = {0}; /* row i, modulo 3: the first i letters of `a` */
    const size_t size_a = strlen(a), size_b = strlen(b);
    for (size_t k = 0; k <= size_b; k++)
        rows[0][k] = (unsigned)k;
    for (size_t i = 1; i <= size_a; i++) {
        const unsigned *before = rows[(i + 1) % 3], *last = rows[(i + 2) % 3];
        unsigned *row = rows[i % 3];
        row[0] = (unsigned)i;
        for (size_t k = 1; k <= size_b; k++) {
            row[k] = least(least(last[k], row[k - 1]) + 1, last[k - 1] + (a[i - 1] != b[k - 1]));
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
                row[k] = least(row[k], before[k - 2] + 1);
        }
    }
    return rows[size_a % 3][size_b];
}

void vz_nearest_begin(vz_nearest *nearest, const char *word)
{
    *nearest = (vz_nearest){.word = word, .distance = FAR_MAX + 1};
}

/* Of a short word half the letters must be right. */
void vz_nearest_try(vz_nearest *nearest, const char *candidate)
{
    const size_t size = strlen(nearest->word);
    if (size == 0 || size > WORD_MAX || strlen(candidate) > WORD_MAX)
        return;
    const unsigned distance_of = distance(nearest->word, candidate);
    const bool begins = size >= 2 && strncmp(nearest->word, candidate, size) == 0;
    const unsigned far = begins ? 0 : distance_of;
    if (far >= nearest->distance || 2 * far > size)
        return;
    nearest->distance = far;
    nearest->found = candidate;
}
