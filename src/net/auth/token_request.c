/* token_request.c - small questions to the servers that give credentials. */
#include "net/auth/auth_internal.h"
#include "base/util/c_library.h"
#include "base/util/bytes.h"

bool vz_auth_token_request(const vz_auth_token_question *question, int *status, vz_buffer *out, vz_error *err)
{
    const vz_net_options options = {
        .ca_bundle = question->ca_bundle,
        .connect_ms = question->timeout_ms,
        .first_byte_ms = question->timeout_ms,
        .stall_ms = question->timeout_ms,
        .retry_ms = question->timeout_ms * question->attempts,
        .attempts = question->attempts,
        .direct = question->direct,
    };
    vz_net_request request = {
        .method = question->method,
        .url = question->url,
        .headers = question->headers,
        .header_count = question->header_count,
        .body = question->body,
        .into = out,
        .most = VZ_ANSWER_MAX,
        .repeatable = true,
    };
    vz_error why = VZ_ERROR_NONE;
    bool ok = vz_buffer_reserve(out, VZ_ANSWER_MAX, err);
    if (ok && !vz_net_do(&options, &request, &why))
        ok = request.status ? vz_fail(err, why.class, "%s answered %d", question->who, request.status)
                            : vz_fail(err, why.class, "%s gave no answer", question->who);
    if (ok && request.text.size)
        ok = vz_buffer_append(out, request.text.data, request.text.size, err);
    *status = request.status;
    if (request.text.data)
        vz_wipe(request.text.data, request.text.capacity);
    vz_net_request_clear(&request);
    return ok;
}

bool vz_auth_form_add(vz_buffer *form, const char *name, const char *value, vz_error *err)
{
    return !value || (vz_buffer_printf(form, err, "%s%s=", form->size ? "&" : "", name) &&
                      vz_percent_encode(form, value, "", err));
}
