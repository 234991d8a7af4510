/* script.h - scripts of HDF5 calls that the workload runs. What a store holds after each is known to scripts.py. */
#ifndef VZ_SCRIPT_H
#define VZ_SCRIPT_H

#include <hdf5.h>
#include <stdbool.h>

struct state {
    const char *path;
    hid_t file;
    char wrong[200]; /* filled when a call said success and its result is not right */
};

struct step {
    const char *name;
    bool (*run)(struct state *state);
};

struct script {
    const char *name;
    const struct step *steps; /* ends with a name of NULL */
};

/* NULL if there is none of that name. */
const struct script *script_find(const char *name);

/* script_write.c, script_more.c, script_read.c, script_pieces.c: the last two */
extern const struct step script_create[], script_change[], script_more[], script_reopen[], script_read[],
    script_pieces[], script_tall[];

/* What the arrays hold: element i of array number `which`, in its state number `version`. */
static inline int element(int which, int version, int i)
{
    return which * 100000 + version * 10000 + i + 1;
}

enum { ARRAY_NUMBERS, ARRAY_PARTS, ARRAY_LATE, ARRAY_GONE, ARRAY_NEW };

/* The same of the large one, which is two shards of 256 KiB, the second one not full, and of the tall one, of whose
 * chunks of 64 KiB, with rows of 2 KiB, four are full. */
static inline int large_element(int version, int i)
{
    return (int)((unsigned)i * 2654435761u + (unsigned)version + 1);
}

#define LARGE_CHUNK     16384
#define LARGE           (7 * LARGE_CHUNK)
#define TALL_ROWS       70
#define TALL_COLUMNS    1100
#define NUMBERS_ROWS    12
#define NUMBERS_COLUMNS 6
#define TEXTS           3
#define TEXT_OLD        "text %d"
#define ROW_OLD         "row %d"
#define ROW_LONGER      "a row with a longer text"

struct row {
    int number;
    char *text;
};

bool step_open_to_read(struct state *state);
bool step_open_to_write(struct state *state);
bool step_flush(struct state *state);
bool step_close(struct state *state);
bool step_close_again(struct state *state);
hid_t row_type(void);
hid_t text_type(void);
/* A dataset that can grow in its first dimension; `size` elements of it. Closed again. */
bool make_dataset(hid_t file, const char *name, hid_t type, hsize_t size, hsize_t chunk, const void *data);
bool step_create(struct state *state);

#endif
