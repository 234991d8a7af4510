/* advise_internal.h - the inside of h5zarr advise: ways to store a dataset, their measures, the
 * choice, and what is printed of it. */
#ifndef VZ_ADVISE_ADVISE_INTERNAL_H
#define VZ_ADVISE_ADVISE_INTERNAL_H

#include "command/command/command.h"
#include "command/trial/trial.h"

#define VZ_ADVISE_WAYS_MAX 16

/* -- Ways --
 * ways.c: chunk shapes, codecs and shards that are tried, one kind after the other. */
typedef struct vz_advise_way {
    const char *what;     /* "as it is", "whole rows": a text of ours */
    const char *compress; /* auto (the filters of the source), none, zlib, zstd, blosc */
    uint64_t shards;      /* bytes; 0: none */
    vz_trial trial;
} vz_advise_way;

typedef struct vz_advise_ways {
    vz_advise_way list[VZ_ADVISE_WAYS_MAX];
    unsigned count;
    unsigned chosen;
} vz_advise_ways;

/* Shapes of chunks, each once. Extents are those of the sample at most, since only a measured shape
 * is advised. */
void vz_advise_add_shapes(const vz_trial_source *source, vz_advise_ways *ways);
/* The other codecs, with the chunks of the chosen way. */
void vz_advise_add_codecs(vz_advise_ways *ways);
/* Shards of format 3 with those chunks, where the sample has enough of them. */
void vz_advise_add_shards(const vz_trial_source *source, vz_advise_ways *ways);

/* -- Choice --
 * choose.c: numbers alone decide. */
typedef enum vz_advise_goal {
    VZ_ADVISE_ALL, /* all patterns count the same */
    VZ_ADVISE_WHOLE,
    VZ_ADVISE_ROWS,
    VZ_ADVISE_COLUMNS,
    VZ_ADVISE_RANDOM,
} vz_advise_goal;
/* False: it is none. "all", "whole", "rows", "columns", "random-rows" */
bool vz_advise_goal_parse(const char *word, vz_advise_goal *goal);
/* The way that reads best for the goal; stored bytes and writing count less. Of ways that are about
 * as good the first one. Compression is left out only where it saves next to nothing. `count` if
 * none was measured. */
unsigned vz_advise_choose(const vz_advise_ways *ways, vz_advise_goal goal);
/* Would a directory have many small files, so that one file serves better? *files: of a
 * directory. */
bool vz_advise_one_file(const vz_trial_source *source, uint64_t *files);

/* -- Report --
 * what the child found, in memory that both processes share. */
typedef struct vz_advise_report {
    vz_trial_source source;
    vz_advise_ways ways;
    bool out_of_time; /* not all ways were tried */
} vz_advise_report;

typedef struct vz_advise_request {
    vz_convert_side source;
    const char *dataset;          /* NULL: the largest */
    const char *library, *plugin; /* as given; NULL: to be found */
    const char *directory;        /* an empty one, for temporary stores */
    vz_advise_goal goal;
    uint64_t sample; /* bytes */
    int64_t ns;      /* for all trials */
} vz_advise_request;

/* measure.c: in a process that does nothing else. */
bool vz_advise_measure(const vz_advise_request *request, vz_advise_report *report, vz_error *err);

/* print_advice.c */
bool vz_advise_print(const vz_advise_request *request, const vz_advise_report *report, bool json, vz_error *err);
/* The line that converts as the chosen way does, for a shell; appended, with a NUL that the size
 * does not count. */
bool vz_advise_line(const char *file, const vz_advise_report *report, vz_buffer *out, vz_error *err);

#endif
