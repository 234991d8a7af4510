/* net_sources_server.h - servers that stand for those credentials come from, and the environment, files and programs
 * that lead there. */
#ifndef VZ_TEST_NET_SOURCES_SERVER_H
#define VZ_TEST_NET_SOURCES_SERVER_H

#include "aws_support.h"

static struct {
    pthread_mutex_t lock;
    char seen[2300]; /* "METHOD path body" of what was asked first */
    char authorization[400];
    unsigned count;
    _Atomic(const char *) mode; /* "": as it should be */
} asked = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void note(const http_call *call)
{
    pthread_mutex_lock(&asked.lock);
    if (asked.count++ == 0) {
        if (!http_header(call, "Authorization", asked.authorization, sizeof asked.authorization))
            asked.authorization[0] = '\0';
        snprintf(asked.seen, sizeof asked.seen, "%s %s %.*s", call->method, call->path,
                 call->body_size < 200 ? (int)call->body_size : 200, call->body);
    }
    pthread_mutex_unlock(&asked.lock);
}

static void note_nothing(const char *mode)
{
    pthread_mutex_lock(&asked.lock);
    asked.count = 0;
    asked.seen[0] = asked.authorization[0] = '\0';
    asked.mode = mode;
    pthread_mutex_unlock(&asked.lock);
}

/* A copy, in turn of two. */
static const char *what_was(const char *text)
{
    static char copies[2][2300];
    static unsigned next;
    char *copy = copies[next++ % 2];
    pthread_mutex_lock(&asked.lock);
    snprintf(copy, sizeof copies[0], "%s", text);
    pthread_mutex_unlock(&asked.lock);
    return copy;
}

static http_after json_keys(http_call *call, const char *token, const char *key)
{
    char text[600];
    snprintf(text, sizeof text,
             "{\"Code\":\"Success\",\"AccessKeyId\":\"%s\",\"SecretAccessKey\":\"" SECRET
             "\",\"%s\":\"T\",\"Expiration\":\"%s\"}",
             key, token, aws_time(3600));
    return http_respond(call, 200, "", text, strlen(text));
}

static http_after answer_sts(http_call *call)
{
    char text[1000];
    if (strcmp(asked.mode, "denied") == 0) {
        static const char why[] = "<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>" SECRET
                                  "</Message></Error></ErrorResponse>";
        return http_respond(call, 403, "", why, strlen(why));
    }
    snprintf(text, sizeof text,
             "<R><Credentials><AccessKeyId>%s</AccessKeyId><SecretAccessKey>" SECRET "</SecretAccessKey><SessionToken>"
             "T</SessionToken><Expiration>%s</Expiration></Credentials></R>",
             memmem(call->body, call->body_size, "WebIdentity", 11) ? "WEB"
             : memmem(call->body, call->body_size, "inner", 5)      ? "INNER"
                                                                    : "ROLE",
             aws_time(strcmp(asked.mode, "expired") == 0 ? -5 : 3600));
    return http_respond(call, 200, "", text, strlen(text));
}

static http_after answer_sso(http_call *call)
{
    char text[500];
    snprintf(text, sizeof text,
             "{\"roleCredentials\":{\"accessKeyId\":\"SSO\",\"secretAccessKey\":\"" SECRET
             "\",\"sessionToken\":\"T\",\"expiration\":%lld}}",
             ((long long)time(NULL) + 3600) * 1000);
    return http_respond(call, strcmp(asked.mode, "denied") == 0 ? 401 : 200, "", text, strlen(text));
}

/* The token service: only who sends what the cache has gets a new token. */
static http_after answer_oidc(http_call *call)
{
    static const char *const parts[] = {"\"clientId\":\"client\"", "\"grantType\":\"refresh_token\"",
                                        "\"refreshToken\":\"" SECRET "-old\"",
                                        "\"clientSecret\":\"" SECRET "-client\""};
    static const char token[] = "{\"accessToken\":\"" SECRET "-new\",\"expiresIn\":3600,\"refreshToken\":\"" SECRET
                                "-next\",\"tokenType\":\"Bearer\"}";
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!memmem(call->body, call->body_size, parts[i], strlen(parts[i])))
            return http_respond(call, 400, "", SECRET, strlen(SECRET));
    return http_respond(call, strcmp(asked.mode, "no renewal") == 0 ? 400 : 200, "", token, strlen(token));
}

static http_after answer_imds(http_call *call)
{
    char value[200];
    const bool v2 = http_header(call, "X-aws-ec2-metadata-token", value, sizeof value) && strcmp(value, "TOKEN") == 0;
    if (strcmp(call->method, "PUT") == 0)
        return http_respond(call, 200, "", "TOKEN", 5);
    if (!v2)
        return http_respond(call, 401, "", "", 0);
    if (strcmp(asked.mode, "no role") == 0)
        return http_respond(call, 404, "", "none", 4);
    if (strstr(call->path, "security-credentials/a%2Brole"))
        return json_keys(call, "Token", "IMDS");
    return http_respond(call, 200, "", "a+role\n", 7);
}

static http_after answer(http_call *call)
{
    note(call);
    if (strcmp(asked.mode, "html") == 0)
        return http_respond(call, 200, "Content-Type: text/html\r\n", "<html>" SECRET "</html>", 26);
    for (int i = 0; i < 1000 && strcmp(asked.mode, "slow") == 0 && !call->server->ending; i++)
        http_sleep_ms(10);
    if (strncmp(call->path, "/latest/", 8) == 0)
        return answer_imds(call);
    if (strcmp(call->path, "/token") == 0)
        return answer_oidc(call);
    if (strncmp(call->path, "/federation/", 12) == 0)
        return answer_sso(call);
    if (strncmp(call->path, "/computeMetadata/", 17) == 0) {
        const char text[] = "{\"access_token\":\"ya29." SECRET "\",\"expires_in\":3599,\"token_type\":\"Bearer\"}";
        return http_respond(call, 200, "", text, strlen(text));
    }
    if (strcmp(call->path, "/ecs") == 0 || strcmp(call->path, "/eks?x=1") == 0)
        return strcmp(asked.mode, "denied") == 0 ? http_respond(call, 403, "", SECRET, strlen(SECRET))
                                                 : json_keys(call, "Token", "ECS");
    return answer_sts(call);
}

static http_server server;

/* "@" in a text is the server's URL, without a slash; "%" the path of a file with a token. */
static char *expand(const char *text)
{
    char url[64], file[64];
    vz_buffer out = {0};
    snprintf(url, sizeof url, "http://127.0.0.1:%d", server.port);
    snprintf(file, sizeof file, "%s/token", aws_home);
    for (; *text; text++) {
        const char *meaning = *text == '@' ? url : *text == '%' ? file : NULL;
        vz_buffer_append(&out, meaning ? meaning : text, meaning ? strlen(meaning) : 1, NULL);
    }
    vz_buffer_append(&out, "", 1, NULL);
    return (char *)out.data;
}

/* "A=1\nB=2". */
static void set_environment(const char *text)
{
    aws_forget_environment();
    char *all = expand(text ? text : ""), *rest = all;
    for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n")) {
        char *equals = strchr(line, '=');
        if (!equals)
            continue;
        *equals = '\0';
        setenv(line, equals + 1, 1);
    }
    free(all);
}

#endif
