/* run.h - doing a case on both sides. */
#ifndef VZ_SPACES_RUN_H
#define VZ_SPACES_RUN_H

#include "spaces.h"

/* A store, or a native file. */
typedef struct side {
    const char *name;
    hid_t fapl, file;
    hid_t dataset[SETS];
    bool stale[SETS]; /* a write was not done here */
} side;

bool side_open(side *s, const trial *t, const char *directory, bool native);
void side_close(side *s, const trial *t);
bool side_reopen(side *s, int set);

/* Memory of a transfer, between two pages that nobody may touch. */
typedef struct buffer {
    char *pages, *bytes; /* the elements begin at `bytes` */
    size_t size;         /* of the pages between */
    size_t used;         /* of the elements */
} buffer;

void buffer_open(buffer *b, size_t used, bool at_end);
void buffer_close(buffer *b);
/* Around the elements nothing changed. */
bool buffer_is_whole(const buffer *b);

#endif
