/* lease.h - the file by which a writing store tells others that it lives. The number of a process
 * means nothing in another container. So the file is locked as long as the writer lives, and the
 * system drops the lock when it ends, however it ends. A caller that gets that lock knows that the
 * writer is dead, where its locks reach him. */
#ifndef VZ_STORE_LEASE_H
#define VZ_STORE_LEASE_H

#include "base/util/error.h"
#include <stdbool.h>
#include <stddef.h>

#define VZ_LEASE_NAME    "lease"
#define VZ_LEASE_ID_SIZE 33 /* 32 hexadecimal digits and the NUL */

typedef struct vz_lease {
    int file;           /* -1: none */
    bool durable;       /* notes are on the disk before what they speak of is */
    bool of_one_kernel; /* the directory's file system is known to be one that no other kernel has
                         * mounted */
    char id[VZ_LEASE_ID_SIZE];
} vz_lease;

typedef enum vz_lease_state {
    VZ_LEASE_NONE,     /* there is no such file */
    VZ_LEASE_UNPROVEN, /* its writer lives, or nothing proves that it does not */
    VZ_LEASE_DEAD,     /* its writer is gone; `file` holds the lock now */
} vz_lease_state;

/* A random name, unlike any other that anybody makes. */
void vz_lease_make_id(char id[VZ_LEASE_ID_SIZE]);
/* Makes and locks the file VZ_LEASE_NAME in a directory. `id` is set already. Nothing of it
 * stays if it fails. Where the file system has no locks the file says so, and nobody will take
 * its writer for dead. The lock goes with the process, and with children forked from it, which
 * may hold what it held. */
bool vz_lease_acquire(int directory, vz_lease *lease, vz_error *err);
/* Notes a directory of the store in which the writer makes unfinished files. Before the first of
 * them. */
bool vz_lease_note(vz_lease *lease, const char *directory, vz_error *err);
/* Everybody who writes in the store joins the others, for as long as `root`, the store's
 * directory, is open. */
void vz_lease_join(int root);
/* Nobody else writes in the store. False also where nothing proves it. */
bool vz_lease_is_alone(int root);
/* Reads the lease in a directory and judges its writer. DEAD: the caller closes lease->file, and
 * may remove the writer's residue. */
vz_lease_state vz_lease_look(int directory, vz_lease *lease);
/* The id of the lease in a directory, whoever holds it; false: it cannot be read. */
bool vz_lease_read_id(int directory, char id[VZ_LEASE_ID_SIZE]);
/* Hands over each directory that was noted; ends at the first false. False, too, when they
 * cannot all be read: then none is handed over. */
bool vz_lease_each_note(const vz_lease *lease, bool (*visit)(void *context, const char *directory), void *context);

/* The directories that were noted count no more: all that was to be done there is done. */
void vz_lease_forget_notes(vz_lease *lease);

/* -- Unfinished name --
 * what names tell: leftovers of other processes, stages, parts of the keys of chunks; for the store
 * kinds. */
/* A file or directory under a partial name that no lease noted. Nobody has touched it for a week,
 * and the process that its name tells does not run here. */
bool vz_partial_is_dead(int directory, const char *name);

/* Is it what a staging area in the store's root is called? */
bool vz_partial_is_staging(const char *name);
/* Digits and dots, in format 3 with a "c" in front: what a part of a chunk's key is called. */
bool vz_partial_is_chunk_part(const char *name, size_t length);

#endif
