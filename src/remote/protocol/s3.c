/* s3.c - see service.h. */
#include "remote/protocol/remote_internal.h"
#include "remote/protocol/service.h"
#include "remote/protocol/remote.h"
#include "base/util/bytes.h"

/* Codes of failures of the moment; all others of that status are permanent. */
static bool is_passing(const char *code)
{
    static const char *const codes[] = {"RequestTimeout", "OperationAborted", "ConditionalRequestConflict", "SlowDown",
                                        "InternalError"};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (strcmp(code, codes[i]) == 0)
            return true;
    return false;
}

static bool is_about_credentials(const char *code)
{
    static const char *const codes[] = {"ExpiredToken", "InvalidToken", "TokenRefreshRequired", "InvalidAccessKeyId",
                                        "SignatureDoesNotMatch"};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (strcmp(code, codes[i]) == 0)
            return true;
    return false;
}

vz_error_class vz_s3_class_of(int status, const char *code)
{
    if (is_passing(code))
        return VZ_TRANSIENT;
    return is_about_credentials(code) ? VZ_PERMISSION : vz_exchange_class_of(status);
}

/* Google's keys have these codes, too, so no variable is named. */
const char *vz_s3_hint(const char *code)
{
    if (strcmp(code, "SignatureDoesNotMatch") == 0)
        return "; the secret does not fit the access key: correct the variables or the profile that have them";
    if (strcmp(code, "InvalidAccessKeyId") == 0)
        return "; correct the variables or the profile that have the access key, or the endpoint";
    return is_about_credentials(code) ? "; get new credentials" : NULL;
}

bool vz_s3_heeds_conditions(const char *endpoint)
{
    return !endpoint;
}

static bool add_member(vz_buffer *query, const char *name, const char *value, vz_error *err)
{
    return vz_buffer_printf(query, err, "%s=", name) && vz_percent_encode(query, value, "", err);
}

/* By name, as signatures want them. */
bool vz_s3_list_query(const vz_list_question *question, vz_buffer *out, vz_error *err)
{
    bool ok = true;
    if (question->token)
        ok = add_member(out, "continuation-token", question->token, err) && vz_buffer_append(out, "&", 1, err);
    if (ok && !question->flat)
        ok = vz_buffer_printf(out, err, "delimiter=%%2F&");
    return ok && vz_buffer_printf(out, err, "encoding-type=url&list-type=2&") &&
           (!question->most || vz_buffer_printf(out, err, "max-keys=%u&", question->most)) &&
           add_member(out, "prefix", question->prefix, err) && vz_buffer_append(out, "", 1, err);
}
