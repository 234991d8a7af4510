/* Where credentials come from: each source, in its order, against servers that stand for AWS's and Google's; and what
 * is said when one fails. */
#include "net/source.h"
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <cmocka.h>
#include "aws_support.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- the server ---- */

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
    for (size_t i = 0; i < COUNT(parts); i++)
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

/* ---- cases ---- */

#define LOGGED_IN "[sso-session corp]\nsso_start_url=https://corp.awsapps.com/start\nsso_region=eu-west-1\n"
#define SSO_ROLE  "sso_account_id=123\nsso_role_name=Read Only\n"
#define KEYS(id)  "aws_access_key_id=" id "\naws_secret_access_key=" SECRET "\n"

static const struct source_case {
    const char *name, *environment, *credentials, *config, *profile, *mode;
    const char *key;        /* NULL: it fails; "": anonymous */
    vz_error_class class;   /* then */
    const char *said;       /* in the message, or the source */
    const char *first_seen; /* how the first request begins; NULL: any */
} cases[] = {
    {"nothing at all", "", NULL, NULL, NULL, "", ""},
    {"keys of the environment", "AWS_ACCESS_KEY_ID=ENV\nAWS_SECRET_ACCESS_KEY=" SECRET, "[default]\n" KEYS("FILE"),
     NULL, NULL, "", "ENV", 0, "the environment"},
    {"half a key", "AWS_ACCESS_KEY_ID=ENV", NULL, NULL, NULL, "", NULL, VZ_INVALID, "AWS_SECRET_ACCESS_KEY is not"},
    {"a key of two lines", "AWS_ACCESS_KEY_ID=a b\nAWS_SECRET_ACCESS_KEY=" SECRET, NULL, NULL, NULL, "", NULL,
     VZ_INVALID, "access key"},
    {"profile default", "", "[default]\n" KEYS("FILE") "aws_session_token=T\n", NULL, NULL, "", "FILE", 0,
     "profile default"},
    {"AWS_PROFILE", "AWS_PROFILE=lab", "[lab]\n" KEYS("LAB") "[default]\n" KEYS("FILE"), NULL, NULL, "", "LAB"},
    {"environment before AWS_PROFILE", "AWS_PROFILE=lab\nAWS_ACCESS_KEY_ID=ENV\nAWS_SECRET_ACCESS_KEY=" SECRET,
     "[lab]\n" KEYS("LAB"), NULL, NULL, "", "ENV"},
    {"the option before both", "AWS_PROFILE=x\nAWS_ACCESS_KEY_ID=ENV\nAWS_SECRET_ACCESS_KEY=" SECRET,
     "[lab]\n" KEYS("LAB"), NULL, "lab", "", "LAB"},
    {"no such profile", "AWS_PROFILE=nobody", "[lab]\n" KEYS("LAB"), NULL, NULL, "", NULL, VZ_NOT_FOUND, "nobody"},
    {"no such profile, option", "", NULL, NULL, "nobody", "", NULL, VZ_NOT_FOUND, "nobody"},
    {"keys in the config", "", NULL, "[profile lab]\n" KEYS("CONF"), "lab", "", "CONF"},
    {"half a key in a profile", "", "[default]\naws_secret_access_key=" SECRET "\n", NULL, NULL, "", NULL, VZ_INVALID,
     "no aws_access_key_id"},
    {"unreadable file", "", "[default]\n" SECRET "\n", NULL, NULL, "", NULL, VZ_INVALID, "line 2"},
    {"AWS_SHARED_CREDENTIALS_FILE", "AWS_SHARED_CREDENTIALS_FILE=~/other", NULL, NULL, NULL, "", "OTHER"},
    /* roles */
    {"role", "AWS_ENDPOINT_URL_STS=@", "[base]\n" KEYS("BASE") "aws_session_token=BT\n",
     "[profile r]\nrole_arn=arn:aws:iam::1:role/x\nsource_profile=base\nexternal_id=e/1\nrole_session_name=me\n"
     "duration_seconds=900\nregion=eu-west-1\n",
     "r", "", "ROLE", 0, "profile r",
     "POST / Action=AssumeRole&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fx&RoleSessionName=me&"
     "ExternalId=e%2F1&DurationSeconds=900"},
    {"role by keys of its own", "AWS_ENDPOINT_URL=@/", "[r]\n" KEYS("BASE"),
     "[profile r]\nrole_arn=arn:x\nsource_profile=r\n", "r", "", "ROLE"},
    {"role by a role", "AWS_ENDPOINT_URL_STS=@", "[base]\n" KEYS("BASE"),
     "[profile r]\nrole_arn=arn:x\nsource_profile=m\n[profile m]\nrole_arn=arn:inner\nsource_profile=base\n", "r", "",
     "ROLE", 0, "profile r", "POST / Action=AssumeRole&Version=2011-06-15&RoleArn=arn%3Ainner"},
    {"role by the environment", "AWS_ENDPOINT_URL_STS=@\nAWS_ACCESS_KEY_ID=ENV\nAWS_SECRET_ACCESS_KEY=" SECRET, NULL,
     "[profile r]\nrole_arn=arn:x\ncredential_source=Environment\n", "r", "", "ROLE"},
    {"role by the container", "AWS_ENDPOINT_URL_STS=@\nAWS_CONTAINER_CREDENTIALS_FULL_URI=@/ecs", NULL,
     "[profile r]\nrole_arn=arn:x\ncredential_source=EcsContainer\n", "r", "", "ROLE"},
    {"roles in a circle", "AWS_ENDPOINT_URL_STS=@", NULL,
     "[profile r]\nrole_arn=arn:x\nsource_profile=m\n[profile m]\nrole_arn=arn:y\nsource_profile=r\n", "r", "", NULL,
     VZ_LIMIT, "lead to each other"},
    {"role without a source", "AWS_ENDPOINT_URL_STS=@", NULL, "[profile r]\nrole_arn=arn:x\n", "r", "", NULL,
     VZ_INVALID, "no source_profile"},
    {"source that is not there", "AWS_ENDPOINT_URL_STS=@", NULL, "[profile r]\nrole_arn=arn:x\nsource_profile=gone\n",
     "r", "", NULL, VZ_NOT_FOUND, "gone"},
    {"role with a code", "AWS_ENDPOINT_URL_STS=@", "[base]\n" KEYS("BASE"),
     "[profile r]\nrole_arn=arn:x\nsource_profile=base\nmfa_serial=arn:mfa\n", "r", "", NULL, VZ_UNSUPPORTED,
     "mfa_serial"},
    {"role for too long", "AWS_ENDPOINT_URL_STS=@", "[base]\n" KEYS("BASE"),
     "[profile r]\nrole_arn=arn:x\nsource_profile=base\nduration_seconds=1\n", "r", "", NULL, VZ_INVALID,
     "duration_seconds"},
    {"role refused", "AWS_ENDPOINT_URL_STS=@", "[base]\n" KEYS("BASE"),
     "[profile r]\nrole_arn=arn:x\nsource_profile=base\n", "r", "denied", NULL, VZ_PERMISSION, "AccessDenied (403)"},
    {"role answered by HTML", "AWS_ENDPOINT_URL_STS=@", "[base]\n" KEYS("BASE"),
     "[profile r]\nrole_arn=arn:x\nsource_profile=base\n", "r", "html", NULL, VZ_CORRUPT, "STS"},
    {"role that is over", "AWS_ENDPOINT_URL_STS=@", "[base]\n" KEYS("BASE"),
     "[profile r]\nrole_arn=arn:x\nsource_profile=base\n", "r", "expired", NULL, VZ_PERMISSION, "expired already"},
    /* web identity */
    {"web identity",
     "AWS_ENDPOINT_URL_STS=@\nAWS_WEB_IDENTITY_TOKEN_FILE=%\nAWS_ROLE_ARN=arn:w\nAWS_ROLE_SESSION_NAME=pod", NULL, NULL,
     NULL, "", "WEB", 0, "web identity",
     "POST / Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=arn%3Aw&RoleSessionName=pod&"
     "WebIdentityToken=eyJ." SECRET},
    {"web identity without a role", "AWS_WEB_IDENTITY_TOKEN_FILE=%", NULL, NULL, NULL, "", NULL, VZ_INVALID,
     "AWS_ROLE_ARN"},
    {"web identity without a file", "AWS_WEB_IDENTITY_TOKEN_FILE=/nowhere\nAWS_ROLE_ARN=a", NULL, NULL, NULL, "", NULL,
     VZ_NOT_FOUND, "/nowhere"},
    {"web identity refused", "AWS_ENDPOINT_URL_STS=@\nAWS_WEB_IDENTITY_TOKEN_FILE=%\nAWS_ROLE_ARN=arn:w", NULL, NULL,
     NULL, "denied", NULL, VZ_PERMISSION, "AccessDenied"},
    {"web identity of a profile", "AWS_ENDPOINT_URL_STS=@", NULL,
     "[profile w]\nrole_arn=arn:w\nweb_identity_token_file=%\n", "w", "", "WEB"},
    /* SSO */
    {"SSO session", "AWS_ENDPOINT_URL_SSO=@", NULL, LOGGED_IN "[profile s]\nsso_session=corp\n" SSO_ROLE, "s", "",
     "SSO", 0, "profile s", "GET /federation/credentials?role_name=Read%20Only&account_id=123 "},
    {"SSO as it was", "AWS_ENDPOINT_URL_SSO=@", NULL,
     "[profile s]\nsso_start_url=https://old.awsapps.com/start\nsso_region=eu-west-1\n" SSO_ROLE, "s", "", "SSO"},
    {"SSO, nobody logged in", "AWS_ENDPOINT_URL_SSO=@", NULL,
     "[sso-session out]\nsso_start_url=x\nsso_region=eu-west-1\n[profile s]\nsso_session=out\n" SSO_ROLE, "s", "", NULL,
     VZ_PERMISSION, "aws sso login"},
    {"SSO, token expired", "AWS_ENDPOINT_URL_SSO=@", NULL,
     "[sso-session late]\nsso_start_url=x\nsso_region=eu-west-1\n[profile s]\nsso_session=late\n" SSO_ROLE, "s", "",
     NULL, VZ_PERMISSION, "has expired"},
    {"SSO, token renewed", "AWS_ENDPOINT_URL_SSO=@\nAWS_ENDPOINT_URL_SSO_OIDC=@", NULL,
     "[sso-session renewed]\nsso_start_url=x\nsso_region=eu-west-1\n[profile s]\nsso_session=renewed\n" SSO_ROLE, "s",
     "", "SSO", 0, "profile s", "POST /token {\"clientId\":\"client\""},
    {"SSO, token not renewed", "AWS_ENDPOINT_URL_SSO=@\nAWS_ENDPOINT_URL_SSO_OIDC=@", NULL,
     "[sso-session renewed]\nsso_start_url=x\nsso_region=eu-west-1\n[profile s]\nsso_session=renewed\n" SSO_ROLE, "s",
     "no renewal", NULL, VZ_PERMISSION, "not renewed: SSO's token service refused (400)"},
    {"SSO refused", "AWS_ENDPOINT_URL_SSO=@", NULL, LOGGED_IN "[profile s]\nsso_session=corp\n" SSO_ROLE, "s", "denied",
     NULL, VZ_PERMISSION, "refused (401)"},
    {"SSO answered by HTML", "AWS_ENDPOINT_URL_SSO=@", NULL, LOGGED_IN "[profile s]\nsso_session=corp\n" SSO_ROLE, "s",
     "html", NULL, VZ_CORRUPT, "no JSON"},
    {"SSO without its session", "", NULL, "[profile s]\nsso_session=gone\n" SSO_ROLE, "s", "", NULL, VZ_NOT_FOUND,
     "[sso-session gone]"},
    {"SSO without a role", "", NULL, LOGGED_IN "[profile s]\nsso_session=corp\nsso_account_id=1\n", "s", "", NULL,
     VZ_INVALID, "sso_role_name"},
    /* processes */
    {"process", "", NULL,
     "[profile p]\ncredential_process=printf '{\"Version\":1,\"AccessKeyId\":\"PROC\",\"SecretAccessKey\":\"" SECRET
     "\",\"SessionToken\":\"T\"}'\n",
     "p", "", "PROC"},
    {"process that fails", "", NULL, "[profile p]\ncredential_process=/bin/sh -c 'echo " SECRET "; exit 3'\n", "p", "",
     NULL, VZ_PERMISSION, "status 3"},
    {"process that is killed", "", NULL, "[profile p]\ncredential_process=/bin/sh -c 'kill -9 $$'\n", "p", "", NULL,
     VZ_IO, "signal 9"},
    {"process that is not there", "", NULL, "[profile p]\ncredential_process=/nowhere/at/all\n", "p", "", NULL,
     VZ_NOT_FOUND, "/nowhere/at/all"},
    {"process that prints nothing", "", NULL, "[profile p]\ncredential_process=true\n", "p", "", NULL, VZ_CORRUPT,
     "no JSON"},
    {"process that prints something else", "", NULL, "[profile p]\ncredential_process=echo " SECRET "\n", "p", "", NULL,
     VZ_CORRUPT, "no JSON"},
    {"process of another version", "", NULL, "[profile p]\ncredential_process=echo '{\"Version\":2}'\n", "p", "", NULL,
     VZ_UNSUPPORTED, "Version 2"},
    {"process that never stops printing", "", NULL, "[profile p]\ncredential_process=yes " SECRET "\n", "p", "", NULL,
     VZ_LIMIT, "more than"},
    {"process whose keys are over", "", NULL,
     "[profile p]\ncredential_process=echo '{\"Version\":1,\"AccessKeyId\":\"P\",\"SecretAccessKey\":\"" SECRET
     "\",\"Expiration\":\"2001-01-01T00:00:00Z\"}'\n",
     "p", "", NULL, VZ_PERMISSION, "expired already"},
    {"no shell", "", NULL, "[profile p]\ncredential_process=echo $(touch /tmp/vz-injected) ; touch /tmp/vz-injected\n",
     "p", "", NULL, VZ_CORRUPT, "no JSON"},
    /* containers */
    {"container", "AWS_CONTAINER_CREDENTIALS_FULL_URI=@/ecs", NULL, NULL, NULL, "", "ECS", 0, "the container",
     "GET /ecs "},
    {"container past proxies", "http_proxy=http://127.0.0.1:1\nAWS_CONTAINER_CREDENTIALS_FULL_URI=@/ecs", NULL, NULL,
     NULL, "", "ECS"},
    {"container with a token of a file",
     "AWS_CONTAINER_CREDENTIALS_FULL_URI=@/eks?x=1\nAWS_CONTAINER_AUTHORIZATION_TOKEN=other\n"
     "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE=%",
     NULL, NULL, NULL, "", "ECS"},
    {"container elsewhere", "AWS_CONTAINER_CREDENTIALS_FULL_URI=http://evil.example/ecs", NULL, NULL, NULL, "", NULL,
     VZ_PERMISSION, "AWS_CONTAINER_CREDENTIALS_FULL_URI"},
    {"container refused", "AWS_CONTAINER_CREDENTIALS_FULL_URI=@/ecs", NULL, NULL, NULL, "denied", NULL, VZ_PERMISSION,
     "403"},
    {"container answered by HTML", "AWS_CONTAINER_CREDENTIALS_FULL_URI=@/ecs", NULL, NULL, NULL, "html", NULL,
     VZ_CORRUPT, "no JSON"},
    {"profile before container", "AWS_CONTAINER_CREDENTIALS_FULL_URI=@/ecs", "[default]\n" KEYS("FILE"), NULL, NULL, "",
     "FILE"},
    {"profile without keys, then container", "AWS_CONTAINER_CREDENTIALS_FULL_URI=@/ecs", NULL,
     "[default]\nregion=eu-west-1\n", NULL, "", "ECS"},
    /* instances */
    {"instance", "AWS_EC2_METADATA_DISABLED=false\nAWS_EC2_METADATA_SERVICE_ENDPOINT=@/", NULL, NULL, NULL, "", "IMDS",
     0, "the instance", "PUT /latest/api/token "},
    {"instance past proxies",
     "http_proxy=http://127.0.0.1:1\nAWS_EC2_METADATA_DISABLED=\nAWS_EC2_METADATA_SERVICE_ENDPOINT=@", NULL, NULL, NULL,
     "", "IMDS"},
    {"instance turned off", "AWS_EC2_METADATA_DISABLED=True\nAWS_EC2_METADATA_SERVICE_ENDPOINT=@", NULL, NULL, NULL, "",
     ""},
    {"instance without a role", "AWS_EC2_METADATA_DISABLED=\nAWS_EC2_METADATA_SERVICE_ENDPOINT=@", NULL, NULL, NULL,
     "no role", ""},
    {"instance that is none", "AWS_EC2_METADATA_DISABLED=\nAWS_EC2_METADATA_SERVICE_ENDPOINT=http://127.0.0.1:1", NULL,
     NULL, NULL, "", ""},
    {"instance that is slow", "AWS_EC2_METADATA_DISABLED=\nAWS_EC2_METADATA_SERVICE_ENDPOINT=@", NULL, NULL, NULL,
     "slow", ""},
    {"instance answered by HTML", "AWS_EC2_METADATA_DISABLED=\nAWS_EC2_METADATA_SERVICE_ENDPOINT=@", NULL, NULL, NULL,
     "html", NULL, VZ_CORRUPT, "no JSON"},
    {"AWS_NO_SIGN_REQUEST", "AWS_NO_SIGN_REQUEST=YES\nAWS_ACCESS_KEY_ID=ENV\nAWS_SECRET_ACCESS_KEY=" SECRET, NULL, NULL,
     NULL, "", ""},
};

/* SHA-1 of "corp", "late" and of the old start URL */
#define SHA1_CORP    "ee0bfd2552fbd840c02cc48b6e823320543c450f"
#define SHA1_LATE    "5d6200f8cf98af475edcac2c97f966ad156ed51f"
#define SHA1_RENEWED "b6e9e91e3757f963ffcaa159b4f6966a3b7f5c80"
#define SHA1_OLD     "33d5ca4bf3b1a62edb96b47f7c203034a43ac435"

static void write_files(const struct source_case *c)
{
    char text[1000], *config = c->config ? expand(c->config) : NULL;
    aws_write(".aws/credentials", c->credentials);
    aws_write(".aws/config", config);
    aws_write("other", "[default]\n" KEYS("OTHER"));
    aws_write("token", " eyJ." SECRET "\n");
    snprintf(text, sizeof text, "{\"accessToken\":\"" SECRET "\",\"expiresAt\":\"%s\"}", aws_time(600));
    aws_write(".aws/sso/cache/" SHA1_CORP ".json", text);
    aws_write(".aws/sso/cache/" SHA1_OLD ".json", text);
    aws_write(".aws/sso/cache/" SHA1_LATE ".json",
              "{\"accessToken\":\"" SECRET "\",\"expiresAt\":\"2020-06-17T10:02:08UTC\"}");
    snprintf(text, sizeof text,
             "{\"accessToken\":\"" SECRET "\",\"expiresAt\":\"2020-06-17T10:02:08Z\",\"clientId\":\"client\","
             "\"clientSecret\":\"" SECRET "-client\",\"refreshToken\":\"" SECRET "-old\",\"kept\":[1],"
             "\"registrationExpiresAt\":\"%s\"}",
             aws_time(86400));
    aws_write(".aws/sso/cache/" SHA1_RENEWED ".json", text);
    free(config);
}

static void check(const struct source_case *c, vz_source_result result, const vz_net_keys *keys, const vz_error *err)
{
    const vz_source_result expected = !c->key ? VZ_SOURCE_FAILED : *c->key ? VZ_SOURCE_FOUND : VZ_SOURCE_NONE;
    if (result != expected || err->class != c->class)
        fail_msg("%s: result %d, class %d, %s", c->name, result, err->class, err->text);
    if (strstr(err->text, SECRET) || strstr(keys->source, SECRET))
        fail_msg("%s: a secret in %s", c->name, err->text);
    if (c->said && !strstr(c->key ? keys->source : err->text, c->said))
        fail_msg("%s: %s is not in %s", c->name, c->said, c->key ? keys->source : err->text);
    if (result == VZ_SOURCE_FOUND && (strcmp(keys->access_key, c->key) != 0 || strcmp(keys->secret_key, SECRET) != 0))
        fail_msg("%s: %s", c->name, keys->access_key);
    if (c->first_seen && strncmp(what_was(asked.seen), c->first_seen, strlen(c->first_seen)) != 0)
        fail_msg("%s: asked %s", c->name, what_was(asked.seen));
}

static void run(const struct source_case *c)
{
    vz_net_keys keys = {0};
    vz_error err = VZ_ERROR_NONE;
    set_environment(c->environment);
    /* A busy machine may answer late: a second is all that is waited where nothing is said. */
    if (strcmp(c->mode, "slow") == 0)
        unsetenv("AWS_METADATA_SERVICE_TIMEOUT");
    else
        setenv("AWS_METADATA_SERVICE_TIMEOUT", "60", 1);
    write_files(c);
    note_nothing(c->mode);
    const vz_net_account_options options = {.profile = c->profile};
    vz_net_settings *settings = vz_net_settings_read(&options, &err);
    const vz_source_result result = settings ? vz_source_chain(settings, &keys, &err) : VZ_SOURCE_FAILED;
    check(c, result, &keys, &err);
    vz_net_keys_clear(&keys);
    vz_net_settings_free(settings);
}

static void test_cases(void **state)
{
    (void)state;
    unlink("/tmp/vz-injected");
    for (size_t i = 0; i < COUNT(cases); i++)
        run(&cases[i]);
    assert_int_not_equal(access("/tmp/vz-injected", F_OK), 0);
}

/* AssumeRole is signed with the keys of the source profile, for the region of the profile, with its token. */
static void test_role_signed(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (strcmp(cases[i].name, "role") != 0)
            continue;
        run(&cases[i]);
        assert_non_null(strstr(what_was(asked.authorization), "AWS4-HMAC-SHA256 Credential=BASE/"));
        assert_non_null(strstr(what_was(asked.authorization), "/eu-west-1/sts/aws4_request, "));
        assert_non_null(
            strstr(what_was(asked.authorization), "SignedHeaders=content-type;host;x-amz-date;x-amz-security-token,"));
    }
}

/* What was renewed is kept for AWS's own programs, for nobody else to read, and is not renewed again. */
static void test_renewed_is_kept(void **state)
{
    (void)state;
    char path[300], text[2000] = "";
    struct stat status;
    snprintf(path, sizeof path, "%s/.aws/sso/cache/" SHA1_RENEWED ".json", aws_home);
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (strcmp(cases[i].name, "SSO, token renewed") != 0)
            continue;
        run(&cases[i]);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
        assert_int_equal(stat(path, &status), 0);
        assert_int_equal(status.st_mode & 0777, 0600);
        assert_non_null(strstr(text, SECRET "-new"));
        assert_non_null(strstr(text, SECRET "-next"));
        assert_non_null(strstr(text, SECRET "-client"));
        assert_non_null(strstr(text, "\"kept\""));
        assert_null(strstr(text, SECRET "-old"));
        vz_net_keys keys = {0};
        const vz_net_account_options options = {.profile = "s"};
        vz_net_settings *settings = vz_net_settings_read(&options, NULL);
        note_nothing("");
        assert_int_equal(vz_source_chain(settings, &keys, NULL), VZ_SOURCE_FOUND);
        assert_int_equal(strncmp(what_was(asked.seen), "GET /federation/", 16), 0);
        vz_net_keys_clear(&keys);
        vz_net_settings_free(settings);
    }
}

/* Runs the chain where no file can be written; what was said on stderr. */
static void run_without_room(const char *profile, char *said, size_t size)
{
    int ends[2];
    struct rlimit before;
    vz_net_keys keys = {0};
    const vz_net_account_options options = {.profile = profile};
    vz_net_settings *settings = vz_net_settings_read(&options, NULL);
    fflush(stderr);
    const int own = dup(STDERR_FILENO);
    assert_int_equal(pipe(ends), 0);
    dup2(ends[1], STDERR_FILENO);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit none = {0, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    const vz_source_result result = vz_source_chain(settings, &keys, NULL);
    setrlimit(RLIMIT_FSIZE, &before);
    fflush(stderr);
    dup2(own, STDERR_FILENO);
    close(own);
    close(ends[1]);
    const ssize_t length = read(ends[0], said, size - 1); /* less than a pipe holds, and an end behind it */
    said[length > 0 ? length : 0] = '\0';
    close(ends[0]);
    assert_int_equal(result, VZ_SOURCE_FOUND);
    assert_string_equal(keys.access_key, "SSO");
    vz_net_keys_clear(&keys);
    vz_net_settings_free(settings);
}

/* The keys are there all the same. It is said once, what could not be written and why, and no secret. */
static void test_not_kept_is_told(void **state)
{
    (void)state;
    char path[300], said[1000];
    snprintf(path, sizeof path, "%s/.aws/sso/cache/" SHA1_RENEWED ".json", aws_home);
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (strcmp(cases[i].name, "SSO, token renewed") != 0)
            continue;
        set_environment(cases[i].environment);
        for (unsigned time = 0; time < 2; time++) {
            write_files(&cases[i]);
            note_nothing(cases[i].mode);
            run_without_room("s", said, sizeof said);
            assert_int_equal(strncmp(what_was(asked.seen), "POST /token", 11), 0);
            assert_null(strstr(said, SECRET));
            assert_int_equal(strstr(said, path) != NULL, time == 0);
            assert_int_equal(strstr(said, strerror(EFBIG)) != NULL, time == 0);
        }
    }
}

/* The token of the file goes along, not that of the variable. */
static void test_container_token(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        if (strcmp(cases[i].name, "container with a token of a file") == 0) {
            run(&cases[i]);
            assert_string_equal(what_was(asked.authorization), "eyJ." SECRET);
        }
}

static void test_container_hosts(void **state)
{
    (void)state;
    static const struct {
        const char *environment, *url; /* NULL: refused */
    } hosts[] = {
        {"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI=/v2/x?y", "http://169.254.170.2/v2/x?y"},
        {"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI=/x\nAWS_CONTAINER_CREDENTIALS_FULL_URI=http://h/",
         "http://169.254.170.2/x"},
        {"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI=.evil.example/x", NULL},
        {"AWS_CONTAINER_CREDENTIALS_FULL_URI=https://any.example/x", "https://any.example/x"},
        {"AWS_CONTAINER_CREDENTIALS_FULL_URI=http://localhost:80/x", "http://localhost:80/x"},
        {"AWS_CONTAINER_CREDENTIALS_FULL_URI=http://127.1.2.3:80/x", "http://127.1.2.3:80/x"},
        {"AWS_CONTAINER_CREDENTIALS_FULL_URI=http://[::1]:80/x", "http://[::1]:80/x"},
        {"AWS_CONTAINER_CREDENTIALS_FULL_URI=http://169.254.170.23/v1/credentials",
         "http://169.254.170.23/v1/credentials"},
        {"AWS_CONTAINER_CREDENTIALS_FULL_URI=http://[fd00:ec2::23]/v1", "http://[fd00:ec2::23]/v1"},
        {"AWS_CONTAINER_CREDENTIALS_FULL_URI=http://169.254.169.254/x", NULL},
        {"AWS_CONTAINER_CREDENTIALS_FULL_URI=http://169.254.170.2.evil.example/x", NULL},
        {"AWS_CONTAINER_CREDENTIALS_FULL_URI=http://127.0.0.1.evil.example/x", NULL},
        {"AWS_CONTAINER_CREDENTIALS_FULL_URI=http://localhost.evil.example/x", NULL},
        {"AWS_CONTAINER_CREDENTIALS_FULL_URI=ftp://localhost/x", NULL},
        {"AWS_CONTAINER_CREDENTIALS_FULL_URI=localhost", NULL},
        {"AWS_CONTAINER_CREDENTIALS_FULL_URI=http:", NULL},
    };
    for (size_t i = 0; i < COUNT(hosts); i++) {
        vz_error err = VZ_ERROR_NONE;
        set_environment(hosts[i].environment);
        vz_net_settings *settings = vz_net_settings_read(&(vz_net_account_options){0}, &err);
        char *url = vz_container_url(settings, &err);
        if (!url != !hosts[i].url || (url && strcmp(url, hosts[i].url) != 0))
            fail_msg("%s: %s", hosts[i].environment, url ? url : err.text);
        free(url);
        vz_net_settings_free(settings);
    }
}

/* Nobody there costs a second: had it waited for the answer, there would be keys. */
static void test_instance_time(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (strcmp(cases[i].name, "instance that is slow") != 0)
            continue;
        struct timespec begin, end;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        run(&cases[i]);
        clock_gettime(CLOCK_MONOTONIC, &end);
        const double s = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
        assert_true(s > 0.9);
    }
}

static void test_settings(void **state)
{
    (void)state;
    static const struct {
        const char *environment, *config;
        vz_net_account_options options;
        const char *endpoint, *region;
        const char *said; /* it fails */
    } settings[] = {
        {"", NULL, {0}, NULL, NULL},
        {"AWS_REGION=a-1\nAWS_DEFAULT_REGION=b-1", NULL, {0}, NULL, "a-1"},
        {"AWS_DEFAULT_REGION=b-1", "[default]\nregion=c-1\n", {0}, NULL, "b-1"},
        {"", "[default]\nregion=c-1\n", {0}, NULL, "c-1"},
        {"AWS_REGION=a-1", NULL, {.region = "o-1", .endpoint = ""}, NULL, "o-1"},
        {"AWS_REGION=a-1\nAWS_ENDPOINT_URL=@", NULL, {.service = VZ_NET_GS}, NULL, NULL},
        {"AWS_ENDPOINT_URL=http://g\nAWS_ENDPOINT_URL_S3=http://s", NULL, {0}, "http://s", NULL},
        {"AWS_ENDPOINT_URL=http://g", NULL, {0}, "http://g", NULL},
        {"AWS_ENDPOINT_URL=http://g", NULL, {.endpoint = "http://o"}, "http://o", NULL},
        {"AWS_IGNORE_CONFIGURED_ENDPOINT_URLS=true\nAWS_ENDPOINT_URL=http://g",
         "[default]\nendpoint_url=http://p\n",
         {0},
         NULL,
         NULL},
        {"", "[default]\nendpoint_url=http://p\n", {0}, "http://p", NULL},
        {"",
         "[default]\nendpoint_url=http://p\nservices=l\n[services l]\ns3 =\n  endpoint_url=http://q\n",
         {0},
         "http://q",
         NULL},
        {"", "[profile x]\nendpoint_url=http://p\nregion=x-1\n", {.profile = "x"}, "http://p", "x-1"},
        {"AWS_ENDPOINT_URL=http://u:" SECRET "/h", NULL, {0}, NULL, NULL, "AWS_ENDPOINT_URL"},
        {"AWS_REGION=evil.example/" SECRET, NULL, {0}, NULL, NULL, "AWS_REGION"},
        {"", "[default]\nendpoint_url=ftp://" SECRET "\n", {0}, NULL, NULL, "endpoint_url of the profile"},
    };
    for (size_t i = 0; i < COUNT(settings); i++) {
        vz_error err = VZ_ERROR_NONE;
        set_environment(settings[i].environment);
        write_files(&(struct source_case){.config = settings[i].config});
        vz_net_account *account = vz_net_account_open(&settings[i].options, &err);
        if (!account != !!settings[i].said)
            fail_msg("%zu: %s", i, err.text);
        if (!account) {
            assert_non_null(strstr(err.text, settings[i].said));
            assert_null(strstr(err.text, SECRET));
            continue;
        }
        const char *endpoint = vz_net_account_endpoint(account), *region = vz_net_account_region(account);
        if (strcmp(endpoint ? endpoint : "", settings[i].endpoint ? settings[i].endpoint : "") != 0 ||
            strcmp(region ? region : "", settings[i].region ? settings[i].region : "") != 0)
            fail_msg("%zu: %s, %s", i, endpoint, region);
        vz_net_account_close(account);
    }
}

static void test_google(void **state)
{
    (void)state;
    static const struct {
        const char *environment, *access_key, *bearer;
        vz_source_result result;
    } google[] = {
        {"", NULL, NULL, VZ_SOURCE_NONE},
        {"AWS_ACCESS_KEY_ID=A\nAWS_SECRET_ACCESS_KEY=" SECRET, NULL, NULL, VZ_SOURCE_NONE},
        {"GS_ACCESS_KEY_ID=GOOG\nGS_SECRET_ACCESS_KEY=" SECRET, "GOOG", NULL, VZ_SOURCE_FOUND},
        {"GS_ACCESS_KEY_ID=GOOG", NULL, NULL, VZ_SOURCE_FAILED},
        {"GS_NO_SIGN_REQUEST=1\nGS_ACCESS_KEY_ID=GOOG\nGS_SECRET_ACCESS_KEY=" SECRET, NULL, NULL, VZ_SOURCE_NONE},
        {"NO_GCE_CHECK=0\nGCE_METADATA_HOST=#", NULL, "ya29." SECRET, VZ_SOURCE_FOUND},
        {"NO_GCE_CHECK=0\nGCE_METADATA_HOST=127.0.0.1:1", NULL, NULL, VZ_SOURCE_NONE},
        {"NO_GCE_CHECK=0\nGCE_METADATA_HOST=evil/x", NULL, NULL, VZ_SOURCE_FAILED},
        {"GOOGLE_APPLICATION_CREDENTIALS=/x.json", NULL, NULL, VZ_SOURCE_FAILED},
    };
    for (size_t i = 0; i < COUNT(google); i++) {
        vz_error err = VZ_ERROR_NONE;
        vz_net_keys keys = {0};
        char host[40];
        set_environment(google[i].environment);
        snprintf(host, sizeof host, "127.0.0.1:%d", server.port);
        if (getenv("GCE_METADATA_HOST") && *getenv("GCE_METADATA_HOST") == '#')
            setenv("GCE_METADATA_HOST", host, 1);
        note_nothing("");
        vz_net_settings *settings = vz_net_settings_read(&(vz_net_account_options){.service = VZ_NET_GS}, &err);
        assert_non_null(settings);
        const vz_source_result result = vz_source_chain(settings, &keys, &err);
        if (result != google[i].result || (result == VZ_SOURCE_FAILED) != (err.class != VZ_OK))
            fail_msg("%zu: %d %s", i, result, err.text);
        assert_null(strstr(err.text, SECRET));
        if (google[i].access_key)
            assert_string_equal(keys.access_key, google[i].access_key);
        if (google[i].bearer)
            assert_string_equal(keys.bearer, google[i].bearer);
        vz_net_keys_clear(&keys);
        vz_net_settings_free(settings);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),           cmocka_unit_test(test_role_signed),
        cmocka_unit_test(test_renewed_is_kept), cmocka_unit_test(test_not_kept_is_told),
        cmocka_unit_test(test_container_token), cmocka_unit_test(test_container_hosts),
        cmocka_unit_test(test_instance_time),   cmocka_unit_test(test_settings),
        cmocka_unit_test(test_google),
    };
    aws_make_home();
    http_open(&server, answer, NULL);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    http_close(&server);
    aws_remove_home();
    return failed;
}
