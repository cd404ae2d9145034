import { z } from 'zod'
import { usageEndpoint } from '../../endpoints/hourly-counts.ts'
import { quarantineEndpoints, queueProblems } from '../../endpoints/quarantine.ts'
import { contract } from '../../grammar/contract.ts'
import { emailAddress } from '../../grammar/email-address.ts'
import { unitEvent } from '../../grammar/event.ts'
import { id, instant, instantInput, tenantParams, text, uuid } from '../../grammar/field.ts'
import { page, pageQuery } from '../../grammar/page.ts'
import { defineProblems } from '../../grammar/problem.ts'
import { internalRoute, tenantRoute } from '../../grammar/route.ts'
import { searchedPageText } from '../../grammar/searched-page.ts'
import {
  builtInNames,
  communicationType,
  recipientOfEither,
  recipientPattern,
  recipientQuery,
  recipientText,
  variableName,
  variableValues,
  variableValuesOfService,
} from '../../nouns/communication-text.ts'
import { locale } from '../../nouns/locale.ts'
import { businessUnitProblems } from '../../problems/business-unit.ts'
import { templateProblem } from '../../problems/template.ts'
import { payerEndpoints, payerEvents, payerProblems } from './payers.ts'
import { templateEndpoints, templateEvents, templateProblems } from './templates.ts'

export const problems = defineProblems({
  ...queueProblems,
  ...businessUnitProblems,
  ...templateProblems,
  ...payerProblems,
  communication_not_found: {
    status: 404,
    title: 'Communication not found',
    explanation: 'The tenant has no communication with this id.',
  },
  ...templateProblem,
})

const status = z.enum(['queued', 'sent', 'failed']).meta({ id: 'CommunicationStatus' })
const recipientDescription =
  'EMAIL: one address. SMS: a phone number with its country code, such as +49 30 123456, stored in E.164.'
const providerName = z.enum(['outbox', 'smtp', 'http'])

const communication = z
  .object({
    id: uuid.describe('Identifier of the communication. Providers get it as message id.'),
    object: z.literal('communication').describe('Kind of the resource.'),
    business_unit_id: uuid.describe('Business unit that sends it.'),
    communication_type: communicationType,
    recipient: z.string().describe(recipientDescription),
    template_id: uuid
      .nullable()
      .describe('Template it was rendered from: the requested one or its translation. Null for text of the request.'),
    template_name: z
      .string()
      .nullable()
      .describe('Name of the template when the message was rendered. Null without one.'),
    template_version: z.int().nullable().describe('Version of the template that was rendered.'),
    amount: z
      .string()
      .nullable()
      .describe('Value of the variable `amount`, as the recipient reads it. Null for a message without one.'),
    status: status.describe('`sent`: a provider has accepted it. `failed`: it is not sent again.'),
    provider: providerName.describe('Provider that delivers it.'),
    provider_message_id: z.string().nullable().describe('Identifier at the provider, once accepted.'),
    error: z
      .object({
        code: z
          .enum(['refused', 'provider_unavailable'])
          .describe('`refused`: the provider does not deliver it. `provider_unavailable`: every attempt failed.'),
        detail: z.string().describe('Cause.'),
      })
      .nullable()
      .describe('Why it failed.'),
    created_at: instant.describe('When it was requested.'),
    sent_at: instant.nullable().describe('When the provider accepted it.'),
  })
  .meta({ id: 'Communication', description: 'A message to one recipient.' })

export type Communication = z.input<typeof communication>

const outboxMessage = z
  .object({
    id: uuid.describe('Identifier of the communication.'),
    business_unit_id: uuid
      .nullable()
      .describe('Business unit that sent it. Null for a user invitation, which the platform sends for the tenant.'),
    communication_type: communicationType,
    from_name: z.string().describe('Display name of the sender.'),
    reply_to: z.string().nullable().describe('Address for replies.'),
    recipient: z.string().describe(recipientDescription),
    subject: z.string().nullable().describe('Rendered subject. Null for SMS.'),
    text: z.string().describe('Rendered text.'),
    html: z.string().nullable().describe('Rendered HTML. Null without an HTML part.'),
    created_at: instant.describe('When the message was stored.'),
  })
  .meta({ id: 'OutboxMessage', description: 'A message that the provider `outbox` stored instead of sending it.' })

export type OutboxMessage = z.input<typeof outboxMessage>

const exampleCommunication: Communication = {
  id: '0191e4a2-0000-7d11-8c55-91b6e0a7c030',
  object: 'communication',
  business_unit_id: '0191e4a2-0000-7d11-8c55-91b6e0a7c002',
  communication_type: 'EMAIL',
  recipient: 'payer@example.com',
  template_id: '0191e4a2-0000-7d11-8c55-91b6e0a7c031',
  template_name: 'Order shipped',
  template_version: 1,
  amount: null,
  status: 'sent',
  provider: 'smtp',
  provider_message_id: '<0191e4a2-0000-7d11-8c55-91b6e0a7c030@example.com>',
  error: null,
  created_at: '2026-11-21T10:00:00.000Z',
  sent_at: '2026-11-21T10:00:01.000Z',
}

const communicationEvent = z
  .object({ communication: communication.describe('The communication as it ended.') })
  .meta({ id: 'CommunicationEvent', description: 'Payload of communication events. Without the rendered text.' })

const messageProblems = ['business_unit_not_found', 'business_unit_deleted', 'template_unusable'] as const

const path = '/v1/communication/communications'
const recipient = recipientText.refine(...recipientOfEither).meta({
  description: recipientDescription,
  pattern: recipientPattern,
  examples: ['payer@example.com', '+4930123456'],
})

export const communicationContract = contract({
  service: 'communication',
  description: 'Message templates, and messages to payers.',
  problems,
  endpoints: {
    ...quarantineEndpoints,
    ...templateEndpoints,
    readMessageUsage: usageEndpoint('/v1/communication/usage', 'communication:ReadCommunication', {
      id: 'MessageUsage',
      noun: 'messages',
    }),
    ...payerEndpoints,
    sendCommunication: {
      ...tenantRoute('POST', path, 'communication:SendCommunication'),
      summary: 'Send a message.',
      description:
        'Either `template_id` with `variables`, or `text`, with `subject` for EMAIL and optionally `html`. Of the templates with the name, channel and business unit of `template_id`, the one that is nearest to `locale` is sent: the same locale, else the same language, else `template_id` itself. The message is sent after the response: `status` is `queued`.',
      example: {
        business_unit_id: exampleCommunication.business_unit_id,
        communication_type: 'EMAIL',
        recipient: 'payer@example.com',
        subject: 'Your order 42',
        text: 'Dear Ada, your order 42 is on its way.',
      },
      body: z
        .strictObject({
          business_unit_id: id.describe('Business unit that sends it.'),
          communication_type: communicationType,
          recipient,
          template_id: id.optional().describe('Template to render.'),
          variables: variableValues.optional().describe('Values of the variables of the template.'),
          locale: locale
            .optional()
            .describe('Language of the recipient, with a template. Default: that of the business unit, else English.'),
          subject: text(200).optional().describe('Subject, without a template. EMAIL only.'),
          text: text(65_536).optional().describe('Text, without a template. SMS: at most 1 600 characters.'),
          html: text(65_536).optional().describe('HTML part, without a template. EMAIL only.'),
          body: text(65_536).optional().meta({
            description: 'Another name of `text`. Errors of its value name `text`. Use `text`.',
            deprecated: true,
          }),
        })
        .refine(({ text, body }) => text === undefined || body === undefined, {
          path: ['body'],
          message: 'must be absent with `text`',
        }),
      replies: { 202: communication },
      problems: messageProblems,
      idempotent: true,
    },
    listCommunications: {
      ...tenantRoute('GET', path, 'communication:ReadCommunication'),
      summary: 'List messages.',
      description: searchedPageText,
      query: pageQuery.extend({
        business_unit_id: id.optional().describe('Only messages of this business unit.'),
        recipient: recipientQuery.optional().describe('Only messages to this recipient, as it was written.'),
        status: status.optional().describe('Only messages with this status.'),
        template_id: id.optional().describe('Only messages rendered from this template.'),
      }),
      replies: { 200: page(communication) },
    },
    readCommunication: {
      ...tenantRoute('GET', `${path}/{communication_id}`, 'communication:ReadCommunication'),
      summary: 'Read a message.',
      params: z.strictObject({ communication_id: id.describe('Identifier of the communication.') }),
      replies: { 200: communication },
      problems: ['communication_not_found'],
    },
    queueCommunication: {
      ...internalRoute('POST', '/internal/tenants/{tenant_id}/communications', 'invite-to-pay'),
      summary: 'Send a message once per message id.',
      params: tenantParams,
      body: z.strictObject({
        message_id: id.describe('Identifier of the communication. A repeated call changes nothing.'),
        code_created_at: instantInput
          .optional()
          .describe('Creation of the code that a reminder or receipt follows from. Default: the time of `message_id`.'),
        business_unit_id: id,
        communication_type: communicationType,
        recipient,
        template: z.union([id, z.enum(builtInNames)]).describe('Identifier of a template, or a built-in name.'),
        locale: locale.nullable().default(null).describe('Language of the payer. Null: that of the business unit.'),
        variables: variableValuesOfService
          .default({})
          .describe('Values. Those that the template does not declare are dropped.'),
        items: z
          .array(
            z.strictObject({
              name: text(200),
              quantity: z.int().min(1),
              amount: text(100).describe('Sum of the item, formatted for the payer.'),
            }),
          )
          .max(200)
          .default([])
          .describe('Lines of the order, for a template that declares the variable `items`.'),
      }),
      replies: { 202: communication },
      problems: ['invalid_request', ...messageProblems, 'rate_limited'],
    },
    queueUserInvitation: {
      ...internalRoute('POST', '/internal/tenants/{tenant_id}/user-invitations', 'identity'),
      summary: 'Send the mail of a user invitation once per message id.',
      description: 'On behalf of the tenant, not of one of its business units.',
      params: tenantParams,
      body: z.strictObject({
        message_id: id.describe('Identifier of the communication. A repeated call changes nothing.'),
        recipient: emailAddress,
        tenant_name: text(200),
        url: z
          .url()
          .max(2_048)
          .meta({
            description: 'Link of the invitation.',
            examples: ['https://console.example.com/session/accept#token'],
          }),
        expires_at: instantInput,
        locale: locale.optional().describe('Language of the mail. Default: English.'),
        inviter: z
          .strictObject({ name: text(200).nullable(), email: text(320).nullable() })
          .optional()
          .describe('User who invites. Absent: the mail names the tenant alone.'),
        role_names: z.array(text(200)).max(10).optional().describe('Names of roles that the person gets.'),
      }),
      replies: { 202: z.object({ id: uuid }) },
      problems: ['invalid_request', 'rate_limited'],
    },
    eraseRecipient: {
      ...internalRoute('POST', '/internal/recipients/erase', 'payctl'),
      summary: 'Erase the email address of a person from the mails of user invitations.',
      body: z.strictObject({ recipient: emailAddress }),
      replies: { 200: z.object({ erased: z.int() }) },
    },
    checkTemplate: {
      ...internalRoute('POST', '/internal/tenants/{tenant_id}/templates/check', 'invite-to-pay'),
      summary: 'Check that a template can be rendered with variables, and store nothing.',
      params: tenantParams,
      body: z.strictObject({
        business_unit_id: id,
        communication_type: communicationType,
        template_id: id,
        locale: locale.nullable().default(null).describe('Language of the message. Null: that of the business unit.'),
        variables: variableValuesOfService.describe('Names and lengths count as for a message.'),
        required: z.array(variableName).max(10).describe('Variables that the template must declare.'),
      }),
      replies: { 204: null },
      problems: ['invalid_request', ...messageProblems],
    },
    listOutboxMessages: {
      ...tenantRoute('GET', '/v1/communication/outbox', 'communication:ReadCommunication'),
      summary: 'List the messages that the provider `outbox` stored instead of sending them.',
      description: 'In development only. Elsewhere the path does not exist: 404.',
      query: pageQuery.extend({
        recipient: recipientQuery.optional().describe('Only messages to this recipient, as it was written.'),
      }),
      replies: { 200: page(outboxMessage) },
    },
  },
  events: {
    ...templateEvents,
    'communication.communications.send': unitEvent('A provider accepted a message.', communicationEvent, {
      communication: exampleCommunication,
    }),
    'communication.communications.send.failed': unitEvent(
      'A message failed: refused by the provider, or the provider was not available in time.',
      communicationEvent,
      {
        communication: {
          ...exampleCommunication,
          status: 'failed',
          provider_message_id: null,
          error: { code: 'refused', detail: '550 5.1.1 No such mailbox' },
          sent_at: null,
        },
      },
    ),
  },
  internalEvents: payerEvents,
})
