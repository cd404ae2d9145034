import { timeOfId } from '@payments/chassis/base/id'
import type { Handlers } from '@payments/chassis/request/router'
import type { RequestOf } from '@payments/contracts/grammar/contract'
import type { communicationContract } from '@payments/contracts/services/communication/contract'
import { quarantineHandlers } from '@payments/messaging/quarantine/quarantine-handlers'
import type { Deps } from './deps.ts'
import { resolveTemplateId } from './domain/built-in-templates.ts'
import { createRenderingTurns } from './rendering/turns.ts'
import { checkTemplate } from './verbs/check-template.ts'
import { createTemplate } from './verbs/create-template.ts'
import { deleteTemplate } from './verbs/delete-template.ts'
import { erasePayer } from './verbs/erase-payer.ts'
import { eraseRecipient } from './verbs/erase-recipient.ts'
import { exportPayer } from './verbs/export-payer.ts'
import { listOutboxMessages } from './verbs/list-outbox-messages.ts'
import { queueCommunication } from './verbs/queue-communication.ts'
import { queueUserInvitation } from './verbs/queue-user-invitation.ts'
import { listCommunications, readCommunication } from './verbs/read-communications.ts'
import { readMessageUsage } from './verbs/read-message-usage.ts'
import { listPayerErasures, readPayerErasure } from './verbs/read-payer-erasures.ts'
import { listTemplates, listTemplateVersions, previewTemplate, readTemplate } from './verbs/read-templates.ts'
import { sendCommunication } from './verbs/send-communication.ts'
import { updateTemplate } from './verbs/update-template.ts'

export const routes = (deps: Deps, rendering = createRenderingTurns()): Handlers<typeof communicationContract> => ({
  ...quarantineHandlers(deps.quarantine, deps.log),
  createTemplate: (caller, { body }) => {
    const { business_unit_id: businessUnitId, communication_type: communicationType, ...content } = body
    const draft = { businessUnitId, communicationType, ...content }
    return rendering.run(caller.tenantId, () => createTemplate(deps, caller, draft))
  },
  listTemplates: (caller, { query }) => listTemplates(deps, caller, query),
  readTemplate: (caller, { params }) => readTemplate(deps, caller, params.template_id),
  updateTemplate: (caller, { params, body }) =>
    rendering.run(caller.tenantId, () => updateTemplate(deps, caller, params.template_id, body)),
  deleteTemplate: (caller, { params }) => deleteTemplate(deps, caller, params.template_id),
  listTemplateVersions: (caller, { params, query }) => listTemplateVersions(deps, caller, params.template_id, query),
  previewTemplate: (caller, { params, body }) =>
    rendering.run(caller.tenantId, () =>
      previewTemplate(deps, caller, params.template_id, {
        businessUnitId: body.business_unit_id,
        values: body.variables,
        locale: body.locale ?? null,
      }),
    ),
  readMessageUsage: (caller, { query }) => readMessageUsage(deps, caller, query.month),
  sendCommunication: (caller, { body }) =>
    rendering.run(caller.tenantId, () => sendCommunication(deps, caller, body.business_unit_id, toDraft(body))),
  listCommunications: (caller, { query }) => listCommunications(deps, caller, query),
  readCommunication: (caller, { params }) => readCommunication(deps, caller, params.communication_id),
  queueCommunication: (caller, { params, body }) => {
    const { communication_type: communicationType, recipient, variables, items, locale } = body
    const templateId = resolveTemplateId(body.template, communicationType)
    const message = { communicationType, recipient, templateId, variables, items, locale }
    const draft = { ...message, subject: null, text: null, html: null }
    const ids = { tenantId: params.tenant_id, messageId: body.message_id, businessUnitId: body.business_unit_id }
    const sentAt = body.code_created_at ?? timeOfId(ids.messageId)
    return rendering.run(ids.tenantId, () => queueCommunication(deps, caller, { ...ids, sentAt, draft }))
  },
  queueUserInvitation: (caller, { params, body }) =>
    queueUserInvitation(deps, caller, toUserInvitation(params.tenant_id, body)),
  eraseRecipient: (_, { body }) => eraseRecipient(deps, body.recipient),
  exportPayer: (_, { params, body }) => exportPayer(deps, params.tenant_id, body),
  erasePayer: (caller, { params, body }) =>
    erasePayer(deps, caller, params.tenant_id, {
      id: body.erasure_id,
      recipient: body.recipient,
      requestedBy: body.requested_by,
      reason: body.reason,
    }),
  listPayerErasures: (_, { query }) => listPayerErasures(deps, query),
  readPayerErasure: (_, { params }) => readPayerErasure(deps, params.erasure_id),
  checkTemplate: (caller, { params: { tenant_id: tenantId }, body }) =>
    rendering.run(tenantId, () =>
      checkTemplate(deps, caller, {
        tenantId,
        businessUnitId: body.business_unit_id,
        communicationType: body.communication_type,
        templateId: body.template_id,
        locale: body.locale,
        variables: body.variables,
        required: body.required,
      }),
    ),
  listOutboxMessages: (caller, { query }) => listOutboxMessages(deps, caller, query),
})

const toDraft = (body: RequestOf<typeof communicationContract.endpoints.sendCommunication>['body']) => ({
  communicationType: body.communication_type,
  recipient: body.recipient,
  templateId: body.template_id ?? null,
  variables: body.variables ?? null,
  subject: body.subject ?? null,
  text: body.text ?? body.body ?? null,
  html: body.html ?? null,
  items: null,
  locale: body.locale ?? null,
})

type UserInvitationBody = RequestOf<typeof communicationContract.endpoints.queueUserInvitation>['body']

const toUserInvitation = (tenantId: string, body: UserInvitationBody) => ({
  tenantId,
  messageId: body.message_id,
  recipient: body.recipient,
  tenantName: body.tenant_name,
  url: body.url,
  expiresAt: body.expires_at,
  locale: body.locale ?? null,
  inviter: body.inviter ?? null,
  roleNames: body.role_names ?? [],
})
