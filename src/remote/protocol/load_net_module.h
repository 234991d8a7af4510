/* load_net_module.h - the module that speaks HTTP, loaded when something far away is asked for the first time. */
#ifndef VZ_PROTOCOL_LOAD_NET_MODULE_H
#define VZ_PROTOCOL_LOAD_NET_MODULE_H

#include "net/http/http.h"

/* Its functions; the module stays until the process ends. NULL with err set: it is not there, or not of this version.
 * Any thread. */
const vz_net_functions *vz_remote_net(vz_error *err);
/* For tests: these, whatever module there is. */
void vz_remote_set_net(const vz_net_functions *functions);

#endif
