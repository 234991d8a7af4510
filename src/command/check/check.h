/* check.h - h5zarr check, as repair uses it: what is wrong with a store. */
#ifndef VZ_COMMAND_CHECK_H
#define VZ_COMMAND_CHECK_H

#include "base/os/thread.h"
#include "base/util/hash.h"
#include "command/command/command.h"
#include "hierarchy/nodes/node.h"

/* -- Check report --
 * what h5zarr check and repair find: counted, and printed when it is found. */
typedef enum vz_finding_kind {
    /* what is wrong: */
    VZ_FINDING_STORE,     /* the store as a whole cannot be read as what it is */
    VZ_FINDING_DOCUMENT,  /* a document that cannot be read, or breaks a rule */
    VZ_FINDING_CHUNK,     /* a chunk, or shard, that cannot be read and decoded */
    VZ_FINDING_VALUE,     /* another value that cannot be read, or whose checksum is wrong */
    VZ_FINDING_OUTSIDE,   /* a chunk outside of its array's grid */
    VZ_FINDING_REFERENCE, /* a reference, or a further hard link of an object, that leads nowhere */
    VZ_FINDING_COPY,      /* consolidated metadata that is not what the documents say */
    VZ_FINDING_LEFTOVER,  /* of a writer that died */
    /* reported, but not wrong: */
    VZ_FINDING_LINK,       /* a soft link that leads nowhere, as HDF5 allows */
    VZ_FINDING_UNFINISHED, /* of a writer that lives, or that nothing proves to be dead */
    VZ_FINDING_LACKS,      /* consolidated metadata that lacks what its makers always leave out */
    VZ_FINDING_FOREIGN,    /* no part of a Zarr store */
    VZ_FINDING_UNJUDGED,   /* this command cannot tell, and why */
    VZ_FINDING_DIMENSION,  /* names of dimensions that contradict each other */
    VZ_FINDING_EARLIER,    /* a netCDF node in the form of an earlier version */
    VZ_FINDING_SPACE,      /* bytes of the store's file that nothing refers to */
    VZ_FINDING_KINDS,
} vz_finding_kind;

/* Gets each finding instead of printing it; under the report's lock. */
typedef void (*vz_report_tell)(void *context, vz_finding_kind kind, const char *object, const char *text);

typedef struct vz_report {
    bool json;
    vz_report_tell tell; /* NULL: findings are printed */
    void *context;
    const char *store; /* as given */
    vz_progress *progress;
    uint64_t counts[VZ_FINDING_KINDS];
    uint64_t printed;
    vz_os_mutex lock; /* findings come from any thread */
} vz_report;

void vz_report_begin(vz_report *report, const char *store, bool json);
/* Nothing was found, as nothing could be looked at. */
void vz_report_drop(vz_report *report);

bool vz_finding_is_wrong(vz_finding_kind kind);
const char *vz_finding_label(vz_finding_kind kind); /* of text */

/* -- Check -- */
typedef struct vz_check_queue vz_check_queue;     /* check_chunks.c */
typedef struct vz_check_targets vz_check_targets; /* check_targets.c */
typedef struct vz_check_copy vz_check_copy;       /* check_consolidated.c */
typedef struct vz_check_dimensions vz_check_dimensions;

/* One check of one store. */
typedef struct vz_check {
    vz_report report;
    vz_store *store;
    vz_store *chunks_at;     /* has those of the array that is walked; borrowed */
    vz_hierarchy *hierarchy; /* of the same store, to follow names; NULL: it cannot be opened */
    vz_node *start;          /* the node of it that is looked at */
    bool quick;              /* chunks are not read */
    bool beyond;             /* it cannot be opened, as it claims more than any store may: it is not
                              * walked through */
    vz_check_queue *queue;
    vz_check_targets *targets;
    vz_check_copy *copy;             /* the innermost consolidated metadata; NULL: none */
    vz_check_dimensions *dimensions; /* of the group that is walked; NULL: none */
    vz_strmap *living;               /* ids of writers that are not known to be dead */
    vz_strmap *dead;                 /* the others */
    uint64_t groups, arrays, chunks;
    _Atomic(uint64_t) bytes; /* of chunks that were read */
    uint64_t links;          /* symbolic links that were entered */
} vz_check;

/* check.c: all of the store at a path; its report was begun, and is not ended. False also where
 * there is no store: then nothing was reported. */
bool vz_check_run(vz_check *check, const char *path, vz_error *err);

#endif
