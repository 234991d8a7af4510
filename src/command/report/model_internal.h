/* model_internal.h - the model of a report: what is in a file or a store, as JSON (README.md). */
#ifndef VZ_COMMAND_MODEL_INTERNAL_H
#define VZ_COMMAND_MODEL_INTERNAL_H

#include "base/util/hash.h"
#include "base/util/json.h"
#include "command/command/command.h"
#include "command/sample/sample.h"

/* -- Limits -- (docs/limits.md) The page says what lies beyond. */
#define VZ_MODEL_NODES_MAX      5000 /* objects and links, without --nodes */
#define VZ_MODEL_NODES_MOST     100000
#define VZ_MODEL_MEMBERS_MAX    500  /* of one group */
#define VZ_MODEL_LEVELS_MAX     1000 /* of groups: opening one passes all above */
#define VZ_MODEL_ATTRIBUTES_MAX 100  /* of one object */
#define VZ_MODEL_TEXT_MAX       2000 /* bytes of one attribute, and of first elements */
#define VZ_MODEL_ELEMENTS_MAX   10   /* first elements, where there is no picture */
#define VZ_MODEL_FIGURES_MAX    200  /* arrays with statistics, a picture and a map */
#define VZ_MODEL_TABLES_MAX     50   /* tables with rows */
#define VZ_MODEL_ROWS_MAX       5    /* of the head of a table, and of the tail */
#define VZ_MODEL_COLUMNS_MAX    20   /* of a table */
#define VZ_MODEL_CELL_MAX       200  /* bytes of a cell */
#define VZ_MODEL_SECONDS_MAX    60   /* for all of these, and then the one under way */
#define VZ_MODEL_PIXELS_MAX     128  /* of a picture along a side */
#define VZ_MODEL_CURVE_HEIGHT   48   /* of a picture of one dimension */
#define VZ_MODEL_SQUARES_MAX    32   /* of a map along a side */
#define VZ_MODEL_FINDINGS_MAX   200  /* of a check, and as many notes */
#define VZ_MODEL_LARGEST_MAX    10   /* arrays that are named as the largest */
/* Bytes of all paths, and of all attributes. */
#define VZ_MODEL_PATHS_MAX ((uint64_t)32 << 20)
#define VZ_MODEL_TEXTS_MAX ((uint64_t)32 << 20)
/* Stored chunks up to which a store is checked unasked. */
#define VZ_MODEL_CHUNKS_MAX ((uint64_t)1 << 20)

typedef struct vz_model_request {
    const char *path, *library, *plugin; /* library and plugin: NULL: to be found */
    bool quick;                          /* no elements, no chunks, no check */
    bool reads_all;                      /* the check reads all chunks, however many */
    uint64_t nodes_max;
} vz_model_request;

typedef struct vz_model_node {
    vz_json *object; /* as the model has it */
    char *path;
    unsigned level;
    bool is_group, is_array;
    bool has_stored, has_decoded; /* of a group: of all below */
    uint64_t stored, decoded;
    size_t parent, first, last, next; /* numbers of nodes; 0: there is none */
    size_t place;                     /* among the nodes of the model */
} vz_model_node;

/* A model under way. */
typedef struct vz_model {
    const vz_model_request *request;
    vz_sample_file *file;
    vz_subject store; /* the store again, by its documents; node NULL: it is none */
    vz_model_node *nodes;
    size_t count, capacity;
    vz_strmap *met;   /* paths of objects by their tokens */
    vz_json *notes;   /* what was left out */
    int64_t deadline; /* of figures */
    uint64_t groups, arrays, types, links, attributes, unreadable;
    uint64_t left_nodes, left_attributes, left_figures, left_tables, cut_texts;
    uint64_t path_bytes, text_bytes;
    uint64_t tables;         /* whose rows were looked at */
    uint64_t chunks;         /* stored ones that are known of */
    bool has_unknown_chunks; /* or it is not known how many there are */
    uint64_t wrong;          /* that the check found */
} vz_model;

/* model.c: all of it; *wrong: something cannot be read, or is wrong. NULL with err set. */
vz_json *vz_model_make(const vz_model_request *request, bool *wrong, vz_error *err);
/* model_walk.c: nodes from a path on, group by group. */
bool vz_model_walk(vz_model *m, const char *path, vz_error *err);
/* model_node.c: what is known of an open object. */
bool vz_model_describe(vz_model *m, vz_model_node *node, vz_sample_object *object, vz_error *err);
/* model_texts.c */
/* Appends to the list of that name, which is made. printf. */
bool vz_model_note(vz_json *object, const char *list, vz_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Sets a text that was made in a buffer, which is cleared. */
bool vz_model_set_words(vz_json *object, const char *key, vz_buffer *words, vz_error *err);
/* model_figures.c: a picture or first elements, a map of chunks, and statistics. */
bool vz_model_figures(vz_model *m, vz_model_node *node, vz_sample_object *array, bool is_table, vz_error *err);
/* model_statistics.c: "statistics" of the array, or of the group that is this sparse matrix (NULL:
 * none). */
bool vz_model_statistics(vz_model *m, vz_json *object, vz_sample_object *array, vz_sample_table *matrix, vz_error *err);
/* model_table.c: "table" of the node, if it is one; it is one all the same where no row was looked
 * at. */
bool vz_model_table(vz_model *m, vz_json *node, vz_sample_object *object, bool *is, vz_error *err);
/* model_check.c: "check" of the model. */
bool vz_model_check(vz_model *m, vz_json *model, vz_error *err);

#endif
