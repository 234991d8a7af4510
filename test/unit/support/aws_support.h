/* aws_support.h - an environment of the test's own, and a server that stands for STS, SSO, container endpoints and
 * metadata. */
#ifndef VZ_TEST_AWS_SUPPORT_H
#define VZ_TEST_AWS_SUPPORT_H

#include "http_server.h"
#include "net/http/http.h"
#include "own_directory.h"
#include <sys/stat.h>
#include <time.h>

#define SECRET "hunter2SECRET" /* stands in every secret of the tests, and in no message */

static char aws_home[] = "/tmp/vz-aws-XXXXXX";

/* Nothing of the user's own decides what is tested. */
static inline void aws_forget_environment(void)
{
    static const char *const prefixes[] = {"AWS_",       "AZURE_",     "GS_",         "GCE_",      "GOOGLE_",  "NO_GCE",
                                           "http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "VOL_ZARR_"};
    for (char **entry = environ; *entry; entry++)
        for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
            if (strncmp(*entry, prefixes[i], strlen(prefixes[i])) == 0) {
                char *name = strndup(*entry, strcspn(*entry, "="));
                unsetenv(name);
                free(name);
                entry = environ - 1; /* the list has moved up */
                break;
            }
    setenv("HOME", aws_home, 1);
    setenv("AWS_EC2_METADATA_DISABLED", "true", 1);
    setenv("NO_GCE_CHECK", "1", 1);
}

static inline void aws_make_home(void)
{
    char path[200];
    if (!strchr(aws_home, 'X') || mkdtemp(aws_home)) {
        static const char *const parts[] = {"/.aws", "/.aws/sso", "/.aws/sso/cache"};
        for (size_t i = 0; i < 3; i++) {
            snprintf(path, sizeof path, "%s%s", aws_home, parts[i]);
            mkdir(path, 0700);
        }
    }
}

/* A file below the home directory; NULL removes it. */
static inline void aws_write(const char *name, const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", aws_home, name);
    unlink(path);
    FILE *file = text ? fopen(path, "w") : NULL;
    if (file) {
        fputs(text, file);
        fclose(file);
    }
}

static inline void aws_remove_home(void)
{
    if (remove_tree(aws_home) != 0)
        abort();
}

/* A time so many seconds from now. */
static inline const char *aws_time(int seconds)
{
    static char texts[4][32];
    static unsigned next;
    char *text = texts[next++ % 4];
    const time_t then = time(NULL) + seconds;
    struct tm parts;
    strftime(text, sizeof texts[0], "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&then, &parts));
    return text;
}

#endif
