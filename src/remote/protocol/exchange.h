/* exchange.h - one request to a server and its answer, with the memory that both need. */
#ifndef VZ_PROTOCOL_EXCHANGE_H
#define VZ_PROTOCOL_EXCHANGE_H

#include "remote/protocol/page.h"
#include "remote/protocol/endpoint.h"

#define VZ_EXCHANGE_LINES_MAX 12

typedef struct vz_exchange {
    vz_net_request net; /* net.owner is this */
    vz_site *site;
    const char *key, *query; /* the whole key; NULL: none */
    const char *lines[VZ_EXCHANGE_LINES_MAX];
    vz_buffer url;
    vz_arena arena;
    vz_buffer own; /* for who needs memory for the answer: net.into may be it */
    bool is_aimed_again;
    bool is_sent; /* it was given to a set, for who sends several */
    void *task;   /* whose it is */
    size_t place; /* which of the task's it is */
} vz_exchange;

/* Does a key name a document of a node? Who reads a store begins with those. */
static inline bool vz_key_is_document(const char *key)
{
    const char *slash = strrchr(key, '/'), *name = slash ? slash + 1 : key;
    return strncmp(name, ".z", 2) == 0 || strcmp(name, "zarr.json") == 0;
}

/* In zeroed memory; whole_key and query are copied. Clear it in any case. */
bool vz_exchange_begin(vz_exchange *x, vz_site *site, vz_net_method method, const char *whole_key, const char *query,
                       vz_error *err);
/* What a PUT puts, which lives until it is answered, with the line by which the service knows a value. */
bool vz_exchange_value(vz_exchange *x, vz_bytes value, vz_error *err);
/* Adds a header line. */
bool vz_exchange_line(vz_exchange *x, vz_error *err, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The URL, as the site is known now. Before it is sent, and once more by the next one. */
bool vz_exchange_aim(vz_exchange *x, vz_error *err);
/* The answer says that the bucket is elsewhere: then the exchange is as it was before it was sent, aims there, and true
 * is returned. Once for each exchange. */
bool vz_exchange_is_redirected(vz_exchange *x);
/* True: done, or (*missing) there is no such key. Else err tells: VZ_CHANGED for a condition that does not hold,
 * VZ_PERMISSION, VZ_TRANSIENT for what may be otherwise in a moment, VZ_UNSUPPORTED, VZ_IO ... */
bool vz_exchange_check(const vz_exchange *x, bool *missing, vz_error *err);
/* Sets err to the refusal that the answer is; false. */
bool vz_exchange_fail(const vz_exchange *x, vz_error *err);
/* Of a 404: is it the key that is not there? Services have other codes with that status. */
bool vz_exchange_names_no_key(const vz_exchange *x);
/* Of a 403: may it be said of a key that is not there? Not with a code for something else, nor where the text speaks of
 * a signature, a token, expiry or a key of encryption. */
bool vz_exchange_may_hide_absence(const vz_exchange *x);
/* One by itself, answered when it returns, sent once more if it is redirected. False: it got no answer. */
bool vz_exchange_do(vz_exchange *x, vz_error *err);
void vz_exchange_clear(vz_exchange *x);
/* Removes a value that we put ourselves. Whether it went is not told. */
void vz_exchange_delete(vz_site *site, const char *whole_key);
/* Is it a page of HTML, as web servers send that have one for everything? Never of a bucket. */
bool vz_exchange_is_page(const vz_exchange *x);
/* What a status means where nothing more is said. */
vz_error_class vz_exchange_class_of(int status);
/* VZ_CHANGED; false. */
bool vz_exchange_fail_changed(vz_error *err);

#endif
