/* signer.h - the inside of accounts and their signers. */
#ifndef VZ_AUTH_SIGNER_H
#define VZ_AUTH_SIGNER_H

#include "net/auth/credential_provider.h"

typedef struct vz_signer {
    vz_net_signer head;
    vz_net_account *account;
    char *region;
    struct vz_signer *next;
} vz_signer;

struct vz_net_account {
    vz_provider *provider;
    vz_net_service service;
    char *endpoint, *region; /* NULL: nobody says one */
    vz_signer *signers;      /* under the engine's lock */
};

extern const vz_net_signer_class vz_signer_class;

/* What makes a request one of an account of Azure's storage. signer_azure.c */
bool vz_azure_sign(const vz_net_account *account, const vz_net_request *request, const vz_net_keys *keys,
                   vz_net_headers *out, vz_error *err);
/* Does the refusal come from a clock that is wrong? Then *theirs is the server's time. */
bool vz_azure_is_skewed(const vz_net_account *account, const vz_net_request *request, int64_t *theirs);

#endif
