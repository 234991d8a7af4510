/* net_module.c - what the module gives to the plugin that loaded it: its functions, in one
 * table. */
#include "net/http/engine.h"

static const char *describe(void)
{
    return curl_version();
}

static const vz_net_functions functions = {
    .version = VZ_NET_VERSION,
    .request_size = sizeof(vz_net_request),
    .describe = describe,
    .headers_add = vz_net_headers_add,
    .header = vz_net_header,
    .range_of = vz_net_range_of,
    .request_clear = vz_net_request_clear,
    .set_open = vz_net_set_open,
    .set_add = vz_net_set_add,
    .set_next = vz_net_set_next,
    .set_stop = vz_net_set_stop,
    .set_close = vz_net_set_close,
    .set_drop = vz_net_set_drop,
    .do_one = vz_net_do,
    .account_open = vz_net_account_open,
    .account_close = vz_net_account_close,
    .account_endpoint = vz_net_account_endpoint,
    .account_region = vz_net_account_region,
    .account_signer = vz_net_account_signer,
    .account_source = vz_net_account_source,
    .account_found_none = vz_net_account_found_none,
    .sha256 = vz_net_sha256,
    .md5 = vz_net_md5,
};

const vz_net_functions *vz_net_functions_for(unsigned version);
__attribute__((visibility("default"))) const vz_net_functions *vz_net_functions_for(unsigned version)
{
    return version == VZ_NET_VERSION ? &functions : NULL;
}
