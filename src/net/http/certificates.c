/* certificates.c - certificates and proxies that the environment names. It is read when a set is
 * opened, in the thread that opens it. A program may change it at any time, and the thread of the
 * transfers must not look then. */
#include "net/http/engine_internal.h"
#include "base/os/file.h"
#include "base/os/process.h"
#include <stdlib.h>
#include <string.h>

/* Where distributions keep the certificates that they trust. */
static const char *const system_bundles[] = {
    "/etc/ssl/certs/ca-certificates.crt",                /* Debian, Ubuntu, Arch, Gentoo */
    "/etc/pki/tls/certs/ca-bundle.crt",                  /* Fedora, RHEL 6 */
    "/etc/ssl/ca-bundle.pem",                            /* openSUSE */
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", /* CentOS, RHEL 7 and later */
    "/etc/ssl/cert.pem",                                 /* Alpine, BSD */
};
static const char *const bundle_names[] = {"AWS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *first_set(const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *value = vz_os_environment(names[i]);
        if (value && *value)
            return value;
    }
    return NULL;
}

/* NULL: what the library was built with. */
static const char *choose_bundle(const char *asked)
{
    const char *named = asked && *asked ? asked : first_set(bundle_names, COUNT(bundle_names));
    for (size_t i = 0; !named && i < COUNT(system_bundles); i++)
        if (vz_os_access(system_bundles[i], R_OK) == 0)
            named = system_bundles[i];
    return named;
}

static bool copy_text(const char *text, char **copy, vz_error *err)
{
    *copy = text ? strdup(text) : NULL;
    return !text || *copy ? true : vz_fail_memory(err);
}

/* libcurl gets an empty text, too, so that it does not read the environment itself. HTTP_PROXY in
 * capitals is not read: in a CGI program it is a header of the client's. */
static const char *proxy_of(const char *const *names, size_t count)
{
    const char *proxy = first_set(names, count);
    return proxy ? proxy : "";
}

bool vz_net_environment(vz_net_set *set, const char *ca_bundle, vz_error *err)
{
    static const char *const http[] = {"http_proxy", "all_proxy", "ALL_PROXY"};
    static const char *const https[] = {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"};
    static const char *const none[] = {"no_proxy", "NO_PROXY"};
    if (set->options.direct)
        return copy_text(choose_bundle(ca_bundle), &set->ca_bundle, err) && copy_text("", &set->proxy_http, err) &&
               copy_text("", &set->proxy_https, err) && copy_text("", &set->no_proxy, err);
    return copy_text(choose_bundle(ca_bundle), &set->ca_bundle, err) &&
           copy_text(proxy_of(http, COUNT(http)), &set->proxy_http, err) &&
           copy_text(proxy_of(https, COUNT(https)), &set->proxy_https, err) &&
           copy_text(proxy_of(none, COUNT(none)), &set->no_proxy, err);
}
