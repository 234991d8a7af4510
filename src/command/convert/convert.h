/* convert.h - all that is in one HDF5 file or Zarr store, written anew as another. The HDF5 library
 * was loaded before (convert.h); both sides are opened through it, stores by our own connector,
 * files by HDF5's. */
#ifndef VZ_CONVERT_CONVERT_H
#define VZ_CONVERT_CONVERT_H

#include "base/util/bytes.h"
#include "base/util/error.h"
#include "base/util/hash.h"
#include "command/libraries/libraries.h"
#include <stdint.h>

/* Receives the progress. Every function may be NULL. */
typedef struct vz_convert_watch {
    void *context;
    /* "copying": elements of so many bytes */
    void (*begin)(void *context, const char *what, uint64_t bytes);
    void (*done)(void *context, uint64_t bytes);
    void (*end)(void *context);
    /* something that is not as it was */
    void (*note)(void *context, const char *object, const char *text);
} vz_convert_watch;

typedef struct vz_convert_side {
    const char *path;
    const char *shown;   /* what people call it; NULL: the path */
    bool is_store;       /* else an HDF5 file */
    bool is_elsewhere;   /* an HDF5 file on a server, which is opened through the connector */
    const char *options; /* of the connector; NULL: none */
} vz_convert_side;

typedef struct vz_convert_request {
    vz_convert_side source, target; /* the target is not there yet */
    const char *plugin;             /* directory of the connector's plugin */
    const char *chunks;             /* of all datasets, or "PATTERN:N,N;..." (copy.h); NULL: as they
                                     * are */
    const char *compress;           /* auto, none, zlib, zstd, blosc, or "PATTERN:WORD;..."; as it
                                     * is where it is NULL */
    bool for_netcdf;                /* types that netCDF has no word for become others */
    uint64_t memory;                /* bytes for elements under way */
    const char *places;             /* a view is made: the file for the places of chunks, which
                                     * is created; NULL: a copy */
    bool own_codecs;                /* of a view: chunks may have codecs that this connector alone
                                     * has */
    uint64_t inline_max;            /* of a view: bytes of a dataset's elements that may be
                                     * copied */
    const vz_strmap *by_value;      /* of a view: paths of datasets whose elements are copied; NULL:
                                     * none */
    vz_convert_watch watch;
} vz_convert_request;

/* option_words.c: values of options. VZ_INVALID. */
/* "512M": a number of bytes, at least `least`. */
bool vz_convert_parse_bytes(const char *text, uint64_t least, uint64_t *bytes, vz_error *err);
/* Can these be members of a request? NULL: not given. */
bool vz_convert_check_words(const char *chunks, const char *compress, vz_error *err);

/* Counts of a conversion, for people. */
typedef struct vz_convert_counts {
    uint64_t groups, datasets, types, attributes, links, references;
    uint64_t lost_references; /* led nowhere */
    uint64_t skipped;         /* datasets whose metadata is not understood: neither copied nor
                               * compared */
    uint64_t raw_chunks;      /* copied as they were stored */
    uint64_t bytes;           /* of elements */
    bool created;             /* the target is there, by us */
} vz_convert_counts;

/* Registers the connector. To be called once after the library was loaded. */
bool vz_convert_register(const char *plugin, vz_error *err);

/* Creates the target and copies all objects, links, attributes and elements. On failure what was
 * begun of the target is closed, and the caller's to remove. */
bool vz_convert_copy(const vz_convert_request *request, vz_convert_counts *counts, vz_error *err);

/* Counts what a copy would do, and reads nothing of any dataset. */
bool vz_convert_survey(const vz_convert_request *request, vz_convert_counts *counts, vz_error *err);

/* -- Comparison -- */
typedef enum vz_difference_kind {
    VZ_DIFFERENCE_MISSING,  /* a member or an attribute that only one of them has */
    VZ_DIFFERENCE_OBJECT,   /* a group here, a dataset there */
    VZ_DIFFERENCE_LINK,     /* links of two types, or to two places */
    VZ_DIFFERENCE_IDENTITY, /* one object under two names here, two objects there */
    VZ_DIFFERENCE_ORDER,    /* of creation: `what` is "members" or "attributes" */
    VZ_DIFFERENCE_TYPE,
    VZ_DIFFERENCE_EXTENT,
    VZ_DIFFERENCE_FILL,
    VZ_DIFFERENCE_VALUE,
    VZ_DIFFERENCE_COMMENT,
    VZ_DIFFERENCE_STORAGE,    /* `what` is "layout", "filters" or "stored size" */
    VZ_DIFFERENCE_UNREADABLE, /* text[0] is the cause */
} vz_difference_kind;

typedef struct vz_difference {
    vz_difference_kind kind;
    const char *path;      /* of the object, from where the comparison began */
    const char *attribute; /* of it; NULL: the object itself */
    const char *what;      /* see above; TYPE: "type" or "committed type"; else NULL */
    const char *text[2];   /* what the source and the target have, in words; NULL: nothing */
    uint64_t count, of;    /* VALUE: elements that differ, of how many; 0: they were not counted */
    const char *place;     /* VALUE: the first of them, "(1, 2)"; NULL: there is one element */
} vz_difference;

typedef struct vz_convert_comparing {
    /* Receives each difference. False with err set ends the comparison, which fails. */
    bool (*report)(void *context, const vz_difference *difference, vz_error *err);
    void *context;
    bool goes_on;         /* after a difference, and after what cannot be read, which is reported */
    bool with_order;      /* the order in which members and attributes were created counts */
    bool with_storage;    /* layout, chunks, filters and stored bytes count */
    const char *begin[2]; /* paths of the objects that are compared, "/a"; NULL: the root groups */
} vz_convert_comparing;

/* Opens both and compares every object, link, type, attribute, value, fill value and reference,
 * which may lead to the same path. Members are found by name. NaN equals NaN. */
bool vz_convert_compare(const vz_convert_request *request, const vz_convert_comparing *how, vz_convert_counts *counts,
                        vz_error *err);
/* A difference as a sentence; `names` of source and target: "A", "B". Appended, with a NUL that
 * the size does not count. */
bool vz_convert_difference_text(const vz_difference *difference, const char *const names[2], vz_buffer *out,
                                vz_error *err);
const char *vz_convert_difference_word(vz_difference_kind kind); /* "value", for JSON */

/* Is the target a copy of the source? False with err set, class VZ_CHANGED: it is not, and err
 * says what differs first. The order of creation counts. */
bool vz_convert_verify(const vz_convert_request *request, vz_convert_counts *counts, vz_error *err);

/* -- Chunk places --
 * where chunks of the source lie, as the file says that is made with a view (chunk_places.c). */
#define VZ_CONVERT_RANK_MAX 32

typedef enum vz_convert_place_kind {
    VZ_CONVERT_PLACE_DATASET, /* the records up to the next such one are of this dataset */
    VZ_CONVERT_PLACE_CHUNK,   /* a chunk, or all elements of a contiguous dataset */
    VZ_CONVERT_PLACE_WITNESS, /* a box in that chunk, whose elements were copied as well */
    VZ_CONVERT_PLACE_END,
} vz_convert_place_kind;

typedef struct vz_convert_place {
    vz_convert_place_kind kind;
    const char *path;   /* DATASET: its name in source and target; valid until the next record */
    const char *codecs; /* DATASET: of its chunks in the source, as numcodecs has them; "": those of
                         * the array; valid until the next record */
    unsigned rank;
    bool is_contiguous;
    uint64_t start[VZ_CONVERT_RANK_MAX];  /* CHUNK: its first element */
    uint64_t extent[VZ_CONVERT_RANK_MAX]; /* WITNESS: of the box, which begins where the chunk does;
                                           * all 0: nothing was copied, as HDF5 lacks a filter */
    uint64_t address, size;               /* bytes of the source */
} vz_convert_place;

typedef struct vz_convert_places vz_convert_places;
vz_convert_places *vz_convert_places_open(const char *path, vz_error *err);
/* The next record; the dataset's members stay as they are. VZ_CORRUPT: it ends within one. */
bool vz_convert_places_next(vz_convert_places *places, vz_convert_place *place, vz_error *err);
void vz_convert_places_close(vz_convert_places *places);

/* -- Probe library --
 * does the plugin work in an HDF5 library? To be asked in a process that does nothing else. */
typedef struct vz_probe_result {
    vz_library_version version; /* all 0: it could not be loaded */
    bool loads;                 /* the plugin is there, and registered */
    bool finds;                 /* the plugin lies where the library looks by itself */
    bool works;                 /* a store was made through it, and found again by the plugin path
                                 * alone */
    char why[512];              /* not */
} vz_probe_result;

/* `directory`: an empty one that may be written; what is made there is the caller's to remove. */
void vz_probe_library(const char *file, const char *plugin, const char *directory, vz_probe_result *probe);

#endif
