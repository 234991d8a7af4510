/* trial.h - elements of one dataset of a file or a store, written in several ways into new stores
 * and read again: how long each takes. Plain C for those who use it. */
#ifndef VZ_TRIAL_TRIAL_H
#define VZ_TRIAL_TRIAL_H

#include "command/convert/convert.h"

/* The datasets of the source, and the one that is tried. */
typedef struct vz_trial_source {
    char path[512]; /* of the dataset */
    bool is_cut;    /* its path is longer than that */
    unsigned rank;
    uint64_t dims[VZ_CONVERT_RANK_MAX];
    uint64_t chunk[VZ_CONVERT_RANK_MAX]; /* all 0: it has no chunks */
    uint64_t element_size;
    /* The sample: a box of its elements, in the middle. */
    uint64_t start[VZ_CONVERT_RANK_MAX], extent[VZ_CONVERT_RANK_MAX];
    /* All datasets that were looked at. */
    uint64_t datasets, bytes, chunks;
    bool is_partial; /* there are more: time was over */
} vz_trial_source;

typedef enum vz_trial_pattern {
    VZ_TRIAL_WHOLE,   /* all elements at once */
    VZ_TRIAL_ROWS,    /* a few blocks of rows: indices of the first dimension */
    VZ_TRIAL_COLUMNS, /* a few blocks of columns: indices of the last one */
    VZ_TRIAL_RANDOM,  /* single rows, in no order */
    VZ_TRIAL_COUNT,
} vz_trial_pattern;

/* A way to store the elements, and its times. */
typedef struct vz_trial {
    uint64_t chunk[VZ_CONVERT_RANK_MAX]; /* all 0: as the connector chooses it */
    bool keeps_filters;                  /* those of the source */
    char options[128];                   /* of the connector, for a new store */
    bool is_measured;
    uint64_t stored;                           /* bytes */
    int64_t write_ns, read_ns[VZ_TRIAL_COUNT]; /* to read as many elements as there are */
} vz_trial;

typedef struct vz_trial_set vz_trial_set;

/* Opens the source, chooses a dataset, and reads a sample of at most so many bytes. `path`: the
 * dataset; NULL: the largest whose elements have a fixed size. Datasets are looked at until
 * `until_ns` (vz_os_now_ns). */
vz_trial_set *vz_trial_begin(const vz_convert_side *side, const char *path, uint64_t bytes, int64_t until_ns,
                             vz_trial_source *source, vz_error *err);
/* Writes the sample into a store at `place`, which is not there yet, and reads it. False also if
 * what is read differs. */
bool vz_trial_run(vz_trial_set *trials, const char *place, vz_trial *trial, vz_error *err);
void vz_trial_end(vz_trial_set *trials); /* NULL is fine */

/* The sample of an array: at most so many bytes, in the middle, from whole chunks on. The longest
 * dimensions are halved first. */
void vz_trial_sample_of(vz_trial_source *source, uint64_t bytes);

#endif
