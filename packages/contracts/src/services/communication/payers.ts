import { z } from 'zod'
import { exportEndpoint } from '../../endpoints/payer-export.ts'
import type { Endpoint } from '../../grammar/contract.ts'
import { type EventDefinitions, tenantEvent } from '../../grammar/event.ts'
import { id, instant, tenantParams, text, uuid } from '../../grammar/field.ts'
import { page, pageQuery } from '../../grammar/page.ts'
import { defineProblems } from '../../grammar/problem.ts'
import { internalRoute } from '../../grammar/route.ts'
import {
  erasingServices,
  erasureReportEvent,
  erasureRequest,
  erasureRequestType,
  payerRecipient,
} from '../../nouns/payer-erasure.ts'

/** For operators: the personal data of one payer of a tenant. */

export const payerProblems = defineProblems({
  payer_erasure_not_found: {
    status: 404,
    title: 'Erasure not found',
    explanation: 'There is no erasure with this id.',
  },
  payer_erasure_of_another_payer: {
    status: 409,
    title: 'Erasure of another payer',
    explanation: 'The erasure with this id is of another recipient. Repeat it with the recipient of the first request.',
  },
})

/** A message with its text, as long as it is stored. */
const storedMessage = z.object({
  id: uuid,
  business_unit_id: uuid.nullable(),
  communication_type: z.enum(['EMAIL', 'SMS']),
  recipient: z.string(),
  template_id: uuid.nullable(),
  status: z.enum(['queued', 'sent', 'failed']),
  provider: z.string(),
  provider_message_id: z.string().nullable(),
  error: z.record(z.string(), z.unknown()).nullable(),
  /** While the message is queued, and in the development outbox. */
  content: z.record(z.string(), z.unknown()).nullable(),
  created_at: instant,
  sent_at: instant.nullable(),
})

export type StoredMessage = z.output<typeof storedMessage>

const part = z.object({
  service: z.enum(erasingServices),
  /** Resources with erased data. */
  resources: z.int(),
  completed_at: instant.nullable(),
})

/** Without the address, which is deleted with the data. */
const payerErasure = z.object({
  id: uuid,
  tenant_id: uuid,
  requested_by: z.string(),
  reason: z.string().nullable(),
  requested_at: instant,
  completed_at: instant.nullable(),
  /** Until then, the last copies in events, webhooks and stored responses expire. Null: the erasure is not complete. */
  copies_until: instant.nullable(),
  services: z.array(part),
})

export type PayerErasure = z.output<typeof payerErasure>

export const payerEndpoints = {
  exportPayer: exportEndpoint(storedMessage, 'List the messages to a payer.'),
  erasePayer: {
    ...internalRoute('POST', '/internal/tenants/{tenant_id}/payer-erasures', 'payctl'),
    summary: 'Erase the personal data of a payer of a tenant in every service.',
    params: tenantParams,
    body: z.strictObject({
      /** A repeated request with the id of an incomplete erasure sends it to the services again. */
      erasure_id: id,
      recipient: payerRecipient,
      reason: text(500).nullable().default(null),
      requested_by: text(200),
    }),
    replies: { 202: payerErasure },
    problems: ['payer_erasure_of_another_payer'],
  },
  listPayerErasures: {
    ...internalRoute('GET', '/internal/payer-erasures', 'payctl'),
    summary: 'List erasures of payers, newest first.',
    query: pageQuery.extend({ tenant_id: id.optional() }),
    replies: { 200: page(payerErasure) },
  },
  readPayerErasure: {
    ...internalRoute('GET', '/internal/payer-erasures/{erasure_id}', 'payctl'),
    summary: 'Read an erasure of a payer: what each service has done.',
    params: z.strictObject({ erasure_id: id }),
    replies: { 200: payerErasure },
    problems: ['payer_erasure_not_found'],
  },
} as const satisfies Readonly<Record<string, Endpoint>>

export const payerEvents = {
  'communication.payers.erased': erasureReportEvent,
  [erasureRequestType]: tenantEvent(
    'An operator requests the erasure of the personal data of a payer.',
    erasureRequest,
  ),
} as const satisfies EventDefinitions
