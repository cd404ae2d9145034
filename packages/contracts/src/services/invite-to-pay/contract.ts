import { z } from 'zod'
import { reencryptSecretsEndpoint, rewrapDataKeysEndpoint, rotationProblems } from '../../endpoints/key-rotation.ts'
import { exportEndpoint } from '../../endpoints/payer-export.ts'
import { quarantineEndpoints, queueProblems } from '../../endpoints/quarantine.ts'
import { contract } from '../../grammar/contract.ts'
import { unitEvent } from '../../grammar/event.ts'
import { id, instant, tenantParams, updateBody, uuid } from '../../grammar/field.ts'
import { page, pageQuery } from '../../grammar/page.ts'
import { defineProblems } from '../../grammar/problem.ts'
import { internalRoute, pageRoute, tenantRoute } from '../../grammar/route.ts'
import { searchedPageText } from '../../grammar/searched-page.ts'
import { communicationType, recipientQuery } from '../../nouns/communication-text.ts'
import {
  changedRecipient,
  communicationDetailsChange,
  hasRecipientOfChannel,
  invitationFields,
  invitationInput,
  invitationShape,
  recipientError,
} from '../../nouns/invitation.ts'
import { locale } from '../../nouns/locale.ts'
import { erasureReportEvent } from '../../nouns/payer-erasure.ts'
import { creation, minorUnits } from '../../nouns/transaction.ts'
import { businessUnitProblems, modeProblems } from '../../problems/business-unit.ts'
import { invitationProblems } from '../../problems/invitation.ts'
import { templateProblem } from '../../problems/template.ts'
import { transactionProblems } from '../../problems/transaction.ts'
import { confirmationEndpoints } from './confirmation.ts'
import { codeInLink, formLimits, linkQuery } from './pages.ts'

export const problems = defineProblems({
  ...queueProblems,
  ...businessUnitProblems,
  ...modeProblems,
  ...invitationProblems,
  ...templateProblem,
  ...transactionProblems,
  ...rotationProblems,
  code_exists: {
    status: 409,
    title: 'The transaction has a code',
    explanation:
      'A transaction has one code that can be paid. Change it, or send it again; or cancel it, and create a new one.',
  },
})

/** Default and greatest lifetime of a code, in hours. */
export const lifetimeHoursDefault = 24
export const lifetimeHoursMax = 70 * 24
export const resendsMax = 10
export const resendIntervalSeconds = 60

const codeStatus = z.enum(['active', 'processing', 'completed', 'expired', 'canceled']).meta({ id: 'CodeStatus' })

const codeShape = {
  id: uuid.describe('Identifier of the code.'),
  object: z.literal('invite').describe('Kind of the resource.'),
  business_unit_id: uuid.describe('Business unit that receives the payment.'),
  transaction_id: uuid.describe('Transaction that the code pays.'),
  status: codeStatus.describe(
    '`active`: can be paid. `processing`: a payment runs, or its outcome is not known yet. `completed`: paid; a capture that failed is in `last_error`.',
  ),
  canceled_by: z
    .enum(['request', 'transaction', 'declines'])
    .nullable()
    .describe(
      'Why it is canceled: a request, which may be the deletion of the business unit or payment orchestrator, the void of the transaction, or too many declined payments.',
    ),
  amount: z.int().describe(`Amount to pay, ${minorUnits}.`),
  currency: z.string().describe('ISO 4217 code of the currency.'),
  capture: z.boolean().describe('Whether the payment is captured in the same step.'),
  recipient: z.string().describe('Payer: an email address or a phone number.'),
  communication_type: communicationType,
  template_id: uuid.nullable().describe('Template of the invitation. Null means the built-in one.'),
  communication_details: invitationFields.communication_details,
  expires_at: instant.describe('When the link expires.'),
  reminder_at: instant.nullable().describe('When the payer is reminded, if unpaid then. Null means never.'),
  return_url: z.string().nullable().describe('Page that the payer is led to after the payment.'),
  locale: z
    .string()
    .nullable()
    .describe('Language of the payer. Null means that of the browser, and in messages that of the business unit.'),
  resend_count: z.int().describe('How often the invitation was sent again.'),
  last_sent_at: instant.nullable().describe('When the latest invitation was handed to the communication service.'),
  communication_id: uuid.nullable().describe('Latest message about the code: a communication of this id.'),
  last_error: z
    .object({
      code: z
        .string()
        .describe(
          'Problem code, decline code of a payment, or `not_captured`: paid, and the amount is reserved until it is captured.',
        ),
      detail: z.string().describe('Cause.'),
    })
    .nullable()
    .describe('The latest failure of a message or a payment. Null after a success.'),
  version: z.int().describe('Grows with each change. Of two events, the one with the higher version is the later.'),
  created_at: instant.describe('When the code was created.'),
  updated_at: instant.describe('When the code last changed.'),
}

const code = z
  .object({ ...codeShape, url: z.null().default(null).describe('Null: a reveal returns the address of the pay page.') })
  .meta({ id: 'Code', description: 'An invitation to pay one transaction by a link.' })

export type Code = z.input<typeof code>

const codeWithLink = z
  .object({
    ...codeShape,
    url: z.string().describe('Address of the pay page. A secret: its holder can see the amount and pay.'),
  })
  .meta({ id: 'CodeWithLink', description: 'An invitation to pay one transaction, with its link.' })

export type CodeWithLink = z.input<typeof codeWithLink>

const createdCode = z
  .object({
    ...codeShape,
    url: z
      .string()
      .nullable()
      .describe(
        'Address of the pay page. A secret: its holder can see the amount and pay. Null in a repeated response to a credential that did not create the code and does not have `invitetopay:RevealCode`.',
      ),
  })
  .meta({ id: 'CreatedCode', description: 'A new invitation to pay one transaction, with its link.' })

export type CreatedCode = z.input<typeof createdCode>

/** Events are stored by receivers, so they have no link. */
const codeEvent = z
  .object({
    code: z.object(codeShape).meta({ id: 'CodeSnapshot', description: 'A code without its link.' }),
    version: z.int().describe('The version of the code.'),
  })
  .meta({ id: 'CodeEvent', description: 'Payload of events of codes.' })

const path = '/v1/invite-to-pay/codes'
const onePath = `${path}/{code_id}` as const
const params = z.strictObject({ code_id: id.describe('Identifier of the code.') })

const exampleUnit = '0191e4a2-0000-7d11-8c55-91b6e0a7c002'
const exampleSnapshot = {
  id: '0191e4a2-0000-7d11-8c55-91b6e0a7c040',
  object: 'invite' as const,
  business_unit_id: exampleUnit,
  transaction_id: '0191e4a2-0000-7d11-8c55-91b6e0a7c041',
  status: 'active' as const,
  canceled_by: null,
  amount: 3998,
  currency: 'EUR',
  capture: true,
  recipient: 'payer@example.com',
  communication_type: 'EMAIL' as const,
  template_id: null,
  communication_details: { payer_name: 'Ada' },
  expires_at: '2026-11-22T10:00:00.000Z',
  reminder_at: null,
  return_url: null,
  locale: 'de-AT',
  resend_count: 0,
  last_sent_at: '2026-11-21T10:00:00.000Z',
  communication_id: '0191e4a2-0000-7d11-8c55-91b6e0a7c042',
  last_error: null,
  version: 1,
  created_at: '2026-11-21T10:00:00.000Z',
  updated_at: '2026-11-21T10:00:00.000Z',
}

const defineCodeEvent = (description: string, changes: object = {}) => ({
  ...unitEvent(description, codeEvent),
  example: { code: { ...exampleSnapshot, ...changes }, version: 1 },
})

/** A code without its link, with language and time zone of the browser that paid. */
const codeOfPayer = z.object({
  ...codeShape,
  payer_locale: z.string().nullable(),
  /** IANA name. */
  payer_time_zone: z.string().nullable(),
})

export type CodeOfPayer = z.input<typeof codeOfPayer>

export const inviteToPay = contract({
  service: 'invite-to-pay',
  description: 'Invitations to pay a transaction by a link, and the page behind the link.',
  problems,
  endpoints: {
    ...quarantineEndpoints,
    exportPayer: exportEndpoint(codeOfPayer, 'List the codes of a payer, without their links.'),
    createCode: {
      ...tenantRoute('POST', path, 'invitetopay:StartTransaction'),
      readsPermissions: [
        'transaction:CreateTransaction',
        'transaction:CaptureTransaction',
        'transaction:ReadTransaction',
        'invitetopay:RevealCode',
      ],
      summary: 'Create a code and send its link to the payer.',
      description:
        'For a transaction that can still be paid and whose codes have ended (`transaction_id`), which requires transaction:ReadTransaction too, or for a new one (`transaction`), which requires transaction:CreateTransaction. A capture requires transaction:CaptureTransaction, also when the transaction was created with `capture`.',
      example: {
        transaction: {
          business_unit_id: exampleUnit,
          currency: 'EUR',
          transaction: { transaction_items: [{ name: 'Coffee beans, 1 kg', unit_amount: 1999, quantity: 2 }] },
        },
        communication_type: 'EMAIL',
        recipient: 'payer@example.com',
        capture: true,
      },
      body: z
        .strictObject({
          transaction_id: id.optional().describe('Transaction to pay.'),
          transaction: z.strictObject(creation).optional().describe('Transaction to create and to pay.'),
          ...invitationShape,
          capture: z
            .boolean()
            .optional()
            .describe('Whether the payment is captured in the same step. Default: as set on the transaction.'),
        })
        .refine(hasRecipientOfChannel, recipientError),
      replies: { 201: createdCode },
      location: `${path}/{id}`,
      problems: [
        'business_unit_not_found',
        'business_unit_deleted',
        'transaction_not_found',
        'transaction_not_payable',
        'code_exists',
        'template_unusable',
        'payment_orchestrator_unusable',
        'test_mode_not_allowed',
        'payment_orchestrator_without_page',
        'amount_mismatch',
        'external_reference_taken',
      ],
      idempotent: true,
    },
    listCodes: {
      ...tenantRoute('GET', path, 'invitetopay:ReadCode'),
      summary: 'List codes.',
      description: searchedPageText,
      query: pageQuery.extend({
        business_unit_id: id.optional().describe('Only codes of this business unit.'),
        transaction_id: id.optional().describe('Only codes of this transaction. At most one of them can be paid.'),
        recipient: recipientQuery.optional().describe('Only codes for this recipient, as it was written.'),
        status: codeStatus.optional().describe('Only codes with this status.'),
      }),
      replies: { 200: page(code) },
    },
    readCode: {
      ...tenantRoute('GET', onePath, 'invitetopay:ReadCode'),
      summary: 'Read a code.',
      params,
      replies: { 200: code },
      problems: ['code_not_found'],
    },
    revealCode: {
      ...tenantRoute('GET', `${onePath}/reveal`, 'invitetopay:RevealCode'),
      summary: 'Reveal the link of a code.',
      description: 'The code has the link in `url`. The response to the creation of the code has it too.',
      params,
      replies: { 200: codeWithLink },
      problems: ['code_not_found'],
      reveals: true,
      sensitive: true,
    },
    updateCode: {
      ...tenantRoute('PATCH', onePath, 'invitetopay:UpdateCode'),
      readsPermissions: ['invitetopay:RevealCode'],
      summary: 'Update the given fields of an active code.',
      description:
        'Sends nothing: send the invitation again to reach another recipient. The link stays the same, so an earlier recipient can still use it, and another `recipient` requires invitetopay:RevealCode too.',
      example: { expires_at: '2026-12-24T18:00:00Z' },
      params,
      body: updateBody(
        z
          .strictObject({
            recipient: changedRecipient,
            expires_at: invitationFields.expires_at,
            reminder_at: invitationFields.reminder_at
              .nullable()
              .describe('When the payer is reminded. Null means never.'),
            return_url: invitationFields.return_url.nullable().describe('Page after the payment. Null means none.'),
            template_id: invitationFields.template_id.nullable().describe('Template. Null means the built-in one.'),
            communication_details: communicationDetailsChange
              .nullable()
              .describe('Content of messages: the given members change. Null removes all.'),
            locale: invitationFields.locale
              .nullable()
              .describe('Language of the payer. Null means that of the browser or the business unit.'),
          })
          .partial(),
      ),
      replies: { 200: code },
      problems: [
        'code_not_found',
        'code_not_active',
        'template_unusable',
        'business_unit_not_found',
        'business_unit_deleted',
      ],
    },
    cancelCode: {
      ...tenantRoute('POST', `${onePath}/cancel`, 'invitetopay:CancelCode'),
      summary: 'Cancel a code, so that its link cannot be paid.',
      description: 'The transaction stays as it is. A code with a payment in progress is rejected.',
      params,
      replies: { 200: code },
      problems: ['code_not_found', 'code_not_active'],
      idempotent: true,
    },
    checkInvitation: {
      ...internalRoute('POST', '/internal/tenants/{tenant_id}/invitations/check', 'payment-proxy'),
      summary: 'Check that an invitation could be created, and store nothing.',
      params: tenantParams,
      body: z.strictObject({
        business_unit_id: id,
        payment_orchestrator_id: id.nullable().describe('Null means the default one of the unit.'),
        invitation: invitationInput,
        transaction_locale: locale.optional().describe('Locale of the transaction, for an invitation without one.'),
      }),
      replies: { 204: null },
      problems: [
        'business_unit_not_found',
        'business_unit_deleted',
        'template_unusable',
        'payment_orchestrator_without_page',
        'invalid_request',
      ],
    },
    resendCode: {
      ...internalRoute('POST', '/internal/tenants/{tenant_id}/transactions/{transaction_id}/resend', 'payment-proxy'),
      summary: 'Send the invitation of a transaction again, once per `resend_id`.',
      params: tenantParams.extend({ transaction_id: id }),
      body: z.strictObject({ resend_id: id.describe('Identifier of the message. A repeated call changes nothing.') }),
      replies: { 200: codeWithLink },
      problems: [
        'code_not_found',
        'code_not_active',
        'payment_orchestrator_unusable',
        'template_unusable',
        'resend_too_soon',
        'resend_limit_reached',
      ],
    },
    rewrapDataKeys: rewrapDataKeysEndpoint,
    reencryptSecrets: reencryptSecretsEndpoint,
    showCardPage: {
      ...pageRoute('GET', '/pay/card/stripe/{ticket}', 200, 404),
      summary: 'Show the card fields of Stripe in the frame of a pay page.',
      description: 'Served on the origin of card pages only. A ticket of a code that cannot be paid has no page.',
      params: z.strictObject({ ticket: codeInLink.describe('Ticket that the pay page issued.') }),
      query: z.object(linkQuery),
      rawBody: { headers: [] },
      ...formLimits,
    },
    showPayPage: {
      ...pageRoute('GET', '/pay/{code}', 200, 404, 410, 503),
      summary: 'Show the pay page of a code.',
      description: 'For the payer, in a browser. Changes nothing.',
      params: z.strictObject({ code: codeInLink }),
      query: z.object(linkQuery),
      rawBody: { headers: ['accept-language'] },
      ...formLimits,
    },
    payCode: {
      ...pageRoute('POST', '/pay/{code}', 303, 400, 404, 409, 410, 429, 503),
      summary: 'Pay a code with a token of the payment provider.',
      description: 'The form of the pay page. Leads back to the page, which shows the outcome.',
      params: z.strictObject({ code: codeInLink }),
      query: z.object({
        ...linkQuery,
        time_zone: z.string().optional().catch(undefined).describe('IANA time zone of the browser, for the receipt.'),
      }),
      rawBody: { headers: ['accept-language', 'content-type', 'origin', 'sec-fetch-site'] },
      ...formLimits,
    },
    ...confirmationEndpoints,
  },
  events: {
    'invite-to-pay.codes.create': defineCodeEvent('An invitation to pay was created.'),
    'invite-to-pay.codes.update': defineCodeEvent(
      'An invitation to pay was changed, is being paid, was completed or declined, or expired.',
      { status: 'completed', version: 3 },
    ),
    'invite-to-pay.codes.cancel': defineCodeEvent('An invitation to pay was canceled.', {
      status: 'canceled',
      canceled_by: 'request',
    }),
    'payment-proxy.i2p.resend': defineCodeEvent('An invitation to pay was sent again.', { resend_count: 1 }),
  },
  internalEvents: { 'invite-to-pay.payers.erased': erasureReportEvent },
})
