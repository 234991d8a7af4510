/* source_chain.c - the sources of credentials in their order. */
#include "net/source.h"

typedef vz_source_result (*source)(const vz_net_settings *settings, vz_net_keys *keys, vz_error *err);

static vz_source_result first_of(const source *sources, size_t count, const vz_net_settings *settings,
                                 vz_net_keys *keys, vz_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const vz_source_result result = sources[i](settings, keys, err);
        if (result != VZ_SOURCE_NONE)
            return result;
    }
    return VZ_SOURCE_NONE;
}

#define FIRST_OF(sources) first_of(sources, sizeof(sources) / sizeof *(sources), settings, keys, err)

vz_source_result vz_source_chain(const vz_net_settings *settings, vz_net_keys *keys, vz_error *err)
{
    static const source google[] = {vz_source_google};
    static const source amazon[] = {vz_source_environment, vz_source_web_identity, vz_source_profile,
                                    vz_source_container, vz_source_instance};
    /* A profile that the user asks for by the option counts before what is in the environment. */
    static const source profile[] = {vz_source_profile, vz_source_container, vz_source_instance};
    if (settings->anonymous)
        return VZ_SOURCE_NONE;
    if (settings->service == VZ_NET_GS)
        return FIRST_OF(google);
    return settings->profile_asked ? FIRST_OF(profile) : FIRST_OF(amazon);
}
