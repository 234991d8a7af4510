/* first_look.h - whether anything is below a prefix, but what is hidden directly there (claims), and what is left out.
 */
#ifndef VZ_REMOTE_FIRST_LOOK_H
#define VZ_REMOTE_FIRST_LOOK_H

#include "remote/listing.h"

typedef struct vz_first_look {
    bool (*but)(void *context, const char *whole_key); /* keys that count for nothing; NULL: none */
    void *context;
    bool is_empty; /* the answer, once there is one */
    /* its own: */
    const char *below;
    vz_buffer prefix;
    vz_task task;
    vz_run *run;
} vz_first_look;

/* On its way while the caller does something else; the prefix is borrowed until the end, which waits for the answer and
 * clears all. Without a beginning that went well there is nothing to end. */
bool vz_first_look_begin(vz_first_look *look, vz_remote *remote, const char *prefix, vz_error *err);
bool vz_first_look_end(vz_first_look *look, vz_error *err);

/* The same beside what else a task asks for: the listing is one of its exchanges, and look->prefix the caller's. */
bool vz_first_look_ask(vz_first_look *look, vz_task *task, const char *prefix, vz_error *err);
void vz_first_look_take(vz_first_look *look, const vz_list_page *page);

#endif
