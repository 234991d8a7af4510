/* remote_internal.h - what the files of this module share: the HTTP engine, facts, settings, pages,
 * XML. */
#ifndef VZ_PROTOCOL_REMOTE_INTERNAL_H
#define VZ_PROTOCOL_REMOTE_INTERNAL_H

#include "remote/protocol/endpoint.h"

/* -- HTTP engine -- */
/* Functions of the module vol_zarr_net.so, which is loaded at the first call and stays. NULL with
 * err set: it is missing, or has another version. Any thread. */
const vz_net_functions *vz_remote_net(vz_error *err);
/* For tests: replaces the functions, whatever module there is. */
void vz_remote_set_net(const vz_net_functions *functions);

/* -- Endpoint -- */
/* One object for each id, kept until the process ends. NULL with err set. */
vz_site_facts *vz_site_fact_of_bucket(const char *id, vz_error *err);
/* The signer of requests to the bucket, in its region as far as known. NULL with err set. */
vz_net_signer *vz_site_signer(vz_site *site, vz_error *err);
/* Notes the bucket's region. True: it was unknown, so a request that failed for it may succeed
 * now. */
bool vz_site_learn_region(vz_site *site, const char *region);

/* -- Remote settings -- options, environment and profiles of a site with a bucket. */
/* Opens site->owner and gets its endpoint ("": the service's own) and region, where given. named:
 * the account, or its host, in the store's name; NULL: none. */
bool vz_settings_of(vz_site *site, const char *named, const vz_options *options, char **endpoint, char **region,
                    vz_error *err);
/* The signer for a region; the account keeps it. NULL with err set. */
vz_net_signer *vz_settings_signer(vz_site *site, const char *region, vz_error *err);
void vz_settings_close(vz_site *site);

/* -- Answers -- */
/* The class of a status, where the answer's text gives nothing more. */
vz_error_class vz_exchange_class_of(int status);
/* Does a text mention a signature, a token, expiry or an encryption key (kms)? Such a refusal is no
 * sign of absence. */
bool vz_protocol_text_speaks_of_access(vz_bytes text);
/* Appends an item, whose key the page owns already. */
bool vz_list_page_add(vz_list_page *page, const vz_list_item *item, vz_error *err);
/* The item's ETag in quotes, copied into the page. */
bool vz_list_page_etag(vz_list_page *page, vz_list_item *item, const char *text, vz_error *err);
/* The time in a listing, in either form that servers use, in nanoseconds since 1970; 0: none. */
int64_t vz_list_page_time(const char *text);
/* Never fails: an answer that is no such document leaves all members empty. */
void vz_s3_read_refusal(vz_bytes answer, vz_refusal *refusal);

/* -- XML -- answers read element by element, by expat within limits. */
#define VZ_XML_DEPTH_MAX 16              /* nested elements */
#define VZ_XML_TEXT_MAX  ((size_t)16384) /* bytes of text in one element */

/* An element ended. `path`: names of the elements from the outermost, "List/Contents/Key", without
 * namespaces. `text`: content of an element without child elements; else "". Both are borrowed.
 * False with err set ends the reading. */
typedef bool (*vz_xml_visit)(void *context, const char *path, const char *text, vz_error *err);

/* VZ_CORRUPT: no XML, cut off, beyond the limits, or with a document type, which could define
 * entities. */
bool vz_xml_read(vz_bytes document, vz_xml_visit visit, void *context, vz_error *err);

#endif
