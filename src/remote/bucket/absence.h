/* absence.h - when an answer means that there is no value at a key, and what proves it (docs/absence.md). Used by tasks
 * that read; any thread. */
#ifndef VZ_BUCKET_ABSENCE_H
#define VZ_BUCKET_ABSENCE_H

#include "remote/bucket/bucket_store.h"

/* In the order of what is needed as a proof. */
typedef enum vz_absence {
    VZ_ABSENCE_NOT,         /* the answer is a value or a failure */
    VZ_ABSENCE_SAID,        /* the server says that there is none */
    VZ_ABSENCE_IF_READABLE, /* a document that was read must still be readable */
    VZ_ABSENCE_IF_UNLISTED, /* listing must be refused, too, and a document must be readable */
} vz_absence;

/* What an answer to a GET or a HEAD says. `refusal` is set unless the answer is a value or says it by itself: it is the
 * failure where absence is not proved. */
vz_absence vz_absence_of(const vz_exchange *x, vz_error *refusal);
/* Notes that the exchange read a document. */
void vz_absence_note_read(vz_remote *remote, const vz_exchange *x);
/* Asks the server for the proof, after the last refusal that it is for. Makes one request, and up to six where the
 * first one fails or nothing was read yet. */
bool vz_absence_is_proved(vz_remote *remote, vz_absence absence);

#endif
