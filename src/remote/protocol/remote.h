/* remote.h - exchange, remote settings, stored name, value version. */
#ifndef VZ_PROTOCOL_REMOTE_H
#define VZ_PROTOCOL_REMOTE_H

#include "net/http/http.h"
#include "remote/protocol/endpoint.h"
#include "remote/protocol/remote_internal.h"
#include "remote/protocol/remote_name.h"
#include "store/store/kind.h"
#include "store/store/store.h"

/* -- Exchange --
 * one request to a server and its answer, with the memory that both need. */
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

/* -- Remote settings --
 * whose requests they are, and what options, environment and profiles say of a site with a bucket. */
/* Opens site->owner, and takes from it the endpoint ("": the service's own) and the region where they are said. named:
 * the account, or its host, that the store's name says; NULL: none. */
bool vz_settings_of(vz_site *site, const char *named, const vz_options *options, char **endpoint, char **region,
                    vz_error *err);
/* The signer of requests to that region, which the account keeps. NULL with err set. */
vz_net_signer *vz_settings_signer(vz_site *site, const char *region, vz_error *err);
void vz_settings_close(vz_site *site);

/* The endpoint that those options and the user's settings lead to; *endpoint is the caller's, NULL: the service's own.
 */
bool vz_settings_endpoint(const vz_service *service, const vz_options *options, char **endpoint, vz_error *err);

/* -- Stored name --
 * names of something remote that come out of files: which server they mean, and how it may be asked. */
/* The policy's column, as far as the name alone tells: addresses are known when a connection is made. */
vz_target vz_remote_target(const vz_remote_name *name);
/* The user's options become those with which the server may be asked. `by_doorway`: a doorway on the way names it, and
 * left that of the options. False with `why` set: it may not be asked. */
bool vz_remote_take_named(const vz_named *named, const vz_remote_name *name, bool by_doorway, vz_options *options,
                          vz_error *why);
/* May a name that a store says be handed to somebody who opens it as the user's own? It must lead to where that store
 * is, and the user must have named that. Asks nobody. */
bool vz_remote_check_named(const char *text, const vz_named *named, vz_error *err);

/* -- Value version --
 * which version of a value an answer has: its ETag, or where a server sends none, when it was changed. */
/* Of an answer with status 2xx; of size 0 where the server tells none. */
vz_version vz_version_of_answer(const vz_net_functions *net, const vz_net_request *answer);
vz_version vz_version_of_etag(const char *etag);
/* The ETag by which the server can be asked for that version, and no other; NULL: it cannot be asked so, and what
 * it answers is compared. Borrowed from `etag`. */
#define VZ_ETAG_SIZE (VZ_VERSION_SIZE + 1)
const char *vz_version_etag(const vz_version *version, char etag[VZ_ETAG_SIZE]);
/* The same as a stamp of a store whose versions these are. */
vz_stamp vz_version_stamp(const vz_version *version, uint64_t size);

#endif
