/* listing.h - keys listed by pages, for all tasks that list. */
#ifndef VZ_REMOTE_LISTING_H
#define VZ_REMOTE_LISTING_H

#include "remote/task.h"

/* The whole prefix of what lies below a key of the store, with a slash at its end and a 0 behind it ("" of a store that
 * is all of a bucket). */
bool vz_listing_prefix(const vz_site *site, const char *prefix, vz_buffer *out, vz_error *err);
/* Asks for a page of what begins with the whole prefix. `flat`: all keys below; else direct members. token: NULL for
 * the first one. most: keys; 0: as many as the server likes. */
bool vz_listing_ask(vz_task *task, const char *whole_prefix, bool flat, const char *token, unsigned most,
                    vz_error *err);
/* The page that the last exchange of the task received, or that one. */
bool vz_listing_take(vz_task *task, vz_list_page *page, vz_error *err);
bool vz_listing_read(const vz_exchange *x, vz_list_page *page, vz_error *err);

#endif
