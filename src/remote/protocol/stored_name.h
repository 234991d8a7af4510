/* stored_name.h - names of something remote that come out of files: which server they mean, and how it may be asked. */
#ifndef VZ_PROTOCOL_STORED_NAME_H
#define VZ_PROTOCOL_STORED_NAME_H

#include "remote/protocol/remote_name.h"
#include "store/store/stored_name.h"

/* The policy's column, as far as the name alone tells: addresses are known when a connection is made. */
vz_target vz_remote_target(const vz_remote_name *name);
/* The user's options become those with which the server may be asked. `by_doorway`: a doorway on the way names it, and
 * left that of the options. False with `why` set: it may not be asked. */
bool vz_remote_take_named(const vz_named *named, const vz_remote_name *name, bool by_doorway, vz_options *options,
                          vz_error *why);
/* May a name that a store says be handed to somebody who opens it as the user's own? It must lead to where that store
 * is, and the user must have named that. Asks nobody. */
bool vz_remote_check_named(const char *text, const vz_named *named, vz_error *err);

#endif
