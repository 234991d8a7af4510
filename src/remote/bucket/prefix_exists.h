/* prefix_exists.h - whether anything is below a prefix, but what is hidden directly there (claims), and what is left out.
 */
#ifndef VZ_BUCKET_PREFIX_EXISTS_H
#define VZ_BUCKET_PREFIX_EXISTS_H

#include "remote/bucket/listing.h"

typedef struct vz_first_look {
    bool (*but)(void *context, const char *whole_key); /* keys that count for nothing; NULL: none */
    void *context;
    bool is_empty;    /* the answer, once there is one */
    vz_buffer prefix; /* its own; the caller's to clear, but after vz_first_look_now */
} vz_first_look;

/* Asks, and waits for the answer. */
bool vz_first_look_now(vz_first_look *look, vz_remote *remote, const char *prefix, vz_error *err);
/* The same as one of the exchanges of a task, whose page is taken when it is there. */
bool vz_first_look_ask(vz_first_look *look, vz_remote_task *task, const char *prefix, vz_error *err);
void vz_first_look_take(vz_first_look *look, const vz_list_page *page);

#endif
