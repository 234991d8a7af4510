/* page.h - what services with buckets answer, whichever protocol they speak. */
#ifndef VZ_PROTOCOL_PAGE_H
#define VZ_PROTOCOL_PAGE_H

#include "base/util/bytes.h"

/* A refusal, whatever status it came with. Cut off where they are longer. */
typedef struct vz_refusal {
    char code[64]; /* "NoSuchKey" ...; "": it says nothing that is understood */
    char message[256];
    char region[64];       /* where the bucket is; "": it does not say */
    bool speaks_of_access; /* see vz_text_speaks_of_access: its code or any of its texts but names */
} vz_refusal;

/* Is it about a signature, a token, expiry or a key of encryption (kms)? Such a refusal says nothing of what is there.
 */
bool vz_text_speaks_of_access(vz_bytes text);

typedef struct vz_list_item {
    char *key;     /* of a prefix with the delimiter at its end */
    uint64_t size; /* bytes of the value; 0 also where it is not told, and of prefixes */
    bool is_prefix;
} vz_list_item;

/* A page of a listing. Zero-initialised = empty. */
typedef struct vz_list_page {
    vz_list_item *items; /* as the server put them */
    size_t count, capacity;
    char *token; /* by which the next page is asked for; NULL: this is the last one */
    vz_arena arena;
} vz_list_page;

void vz_list_page_clear(vz_list_page *page);
/* One more, whose key is the page's already. */
bool vz_list_page_add(vz_list_page *page, const vz_list_item *item, vz_error *err);

#endif
