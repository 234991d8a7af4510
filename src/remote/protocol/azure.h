/* azure.h - what is the way of Azure's storage, for the rows of services.c. */
#ifndef VZ_PROTOCOL_AZURE_H
#define VZ_PROTOCOL_AZURE_H

#include "remote/protocol/service.h"

/* As vz_service has them. */
vz_error_class vz_azure_class_of(int status, const char *code);
const char *vz_azure_hint(const char *code);
bool vz_azure_heeds_conditions(const char *endpoint);
bool vz_azure_list_query(const vz_list_question *question, vz_buffer *out, vz_error *err);
bool vz_azure_read_page(vz_bytes answer, vz_list_page *page, vz_error *err);
/* A value in blocks: they go at once, and a list of them makes them a value, under the request's condition. Those that
 * no list names the server forgets. azure_block_upload.c */
bool vz_azure_begin_blocks(struct vz_remote_task *task, vz_error *err);
/* A copy within the account, of any size. One that the server goes on with is waited for. azure_copy.c */
bool vz_azure_begin_copy(struct vz_remote_task *task, vz_error *err);

#endif
