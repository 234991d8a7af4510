/* settings.h - what options, environment and profiles say of a site with a bucket. */
#ifndef VZ_REMOTE_SETTINGS_H
#define VZ_REMOTE_SETTINGS_H

#include "remote/site.h"
#include "util/reach.h"

typedef struct vz_settings {
    char endpoint[1024]; /* "": the scheme's own */
    char region[64];
} vz_settings;

bool vz_settings_of(const vz_site *site, const vz_options *options, vz_settings *settings, vz_error *err);
/* Sets site->signer, if requests are signed. */
bool vz_settings_signer(vz_site *site, const vz_options *options, const vz_settings *settings, vz_error *err);
void vz_settings_close_signer(vz_site *site);

#endif
