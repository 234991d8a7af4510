/* check_report.h - what h5zarr check and repair find: counted, and printed when it is found. */
#ifndef VZ_COMMAND_CHECK_REPORT_H
#define VZ_COMMAND_CHECK_REPORT_H

#include "command/command/command.h"
#include "command/command/progress.h"
#include "base/util/json_parse.h"
#include <pthread.h>

typedef enum vz_finding_kind {
    /* what is wrong: */
    VZ_FINDING_STORE,     /* the store as a whole cannot be read as what it is */
    VZ_FINDING_DOCUMENT,  /* a document that cannot be read, or breaks a rule */
    VZ_FINDING_CHUNK,     /* a chunk, or shard, that cannot be read and decoded */
    VZ_FINDING_VALUE,     /* another value that cannot be read, or whose checksum is wrong */
    VZ_FINDING_OUTSIDE,   /* a chunk outside of its array's grid */
    VZ_FINDING_REFERENCE, /* a reference, or a further name of an object, that leads nowhere */
    VZ_FINDING_COPY,      /* consolidated metadata that is not what the documents say */
    VZ_FINDING_LEFTOVER,  /* of a writer that died */
    /* what is told without being wrong: */
    VZ_FINDING_LINK,       /* a soft link that leads nowhere, as HDF5 allows */
    VZ_FINDING_UNFINISHED, /* of a writer that lives, or that nothing proves to be dead */
    VZ_FINDING_LACKS,      /* consolidated metadata that lacks what its makers always leave out */
    VZ_FINDING_FOREIGN,    /* no part of a Zarr store */
    VZ_FINDING_UNJUDGED,   /* this command cannot tell, and why */
    VZ_FINDING_SPACE,      /* bytes of the store's file that nothing refers to */
    VZ_FINDING_KINDS,
} vz_finding_kind;

/* Told of each finding instead of printing it; under the report's lock. */
typedef void (*vz_report_tell)(void *context, vz_finding_kind kind, const char *object, const char *text);

typedef struct vz_report {
    bool json;
    vz_report_tell tell; /* NULL: findings are printed */
    void *context;
    const char *store; /* as given */
    vz_progress *progress;
    uint64_t counts[VZ_FINDING_KINDS];
    uint64_t printed;
    pthread_mutex_t lock; /* findings come from any thread */
} vz_report;

void vz_report_begin(vz_report *report, const char *store, bool json);
/* `object`: a key of the store, or the path of something beside it, as `vz_json` text where it is no UTF-8. chunk: its
 * coordinates, `rank` of them (0: it is of no chunk). Any thread. */
void vz_report_find(vz_report *report, vz_finding_kind kind, const char *object, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void vz_report_find_chunk(vz_report *report, const char *array, const char *key, const uint64_t *chunk, unsigned rank,
                          const vz_error *why);
/* Prints the sum, with these members in JSON (taken; NULL: none) and this line in text. Returns the exit status. */
vz_exit vz_report_end(vz_report *report, vz_json *members, const char *line);

/* Nothing was found, as nothing could be looked at. */
void vz_report_drop(vz_report *report);
/* What of them was wrong. */
uint64_t vz_report_wrong(const vz_report *report);

bool vz_finding_is_wrong(vz_finding_kind kind);
const char *vz_finding_word(vz_finding_kind kind);   /* of JSON */
const char *vz_finding_label(vz_finding_kind kind);  /* of text */
const char *vz_finding_repair(vz_finding_kind kind); /* "yes", "no", or the option of h5zarr repair that does it */

#endif
