import { z } from 'zod'
import { emailAddressKey } from '../grammar/email-address.ts'
import { instant, uuid } from '../grammar/field.ts'
import { recipientOfEither, recipientPattern, recipientText } from './communication-text.ts'

/**
 * The erasure of the personal data of a payer, between services. Their events are internal: no subscription gets them,
 * and webhooks stores none.
 */

/** An email address, or a phone number in E.164. Addresses of one mailbox are the same: see `addressOf`. */
export const payerRecipient = recipientText
  .refine(...recipientOfEither)
  .meta({ pattern: recipientPattern, examples: ['payer@example.com', '+4930123456'] })

/** In a written phone number: where the number begins, until an extension by letters or signs. */
const written = /[+0-9][^A-Za-z#;\u00c0-\u1fff\u3040-\ud7ff]*/
/** An extension of at most three digits. A slash before more digits is a separator: +49 30/123456. */
const shortExtension = /\/([^0-9]*[0-9]){0,3}[^0-9]*$/

/**
 * The same text for every spelling of an address: the key of an email address without `+tag`, a phone number in E.164
 * without separators, `(0)` and extension. The SQL function `payer_address` is the same rule, except that it leaves
 * letters of a domain that are not ASCII as written. A `+` that begins a mailbox is no tag: at a gateway to phones, the
 * mailbox is a number.
 */
export function addressOf(value: string): string {
  if (value.includes('@')) return emailAddressKey(value.replace(/([^+])\+.*@/s, '$1@'))
  const [number = ''] = written.exec(value) ?? []
  return number
    .replaceAll('(0)', '')
    .replace(shortExtension, '')
    .replaceAll(/[^+0-9]/g, '')
    .replace(/^00/, '+')
}

/** In place of the address of an erased payer. No address has this form. */
export const erased = 'erased'

/** The services that store personal data of payers. Webhooks has copies, which it erases by the ids of resources. */
export const erasingServices = ['payment-proxy', 'invite-to-pay', 'communication'] as const
export type ErasingService = (typeof erasingServices)[number]

export const erasureRequestType = 'communication.payers.erase'

export const erasureRequest = z.object({
  erasure_id: uuid,
  /** As the operator wrote it. The event is deleted from the outbox when the erasure is done. */
  recipient: payerRecipient,
  /** Resources that were created later are not erased, whenever the event arrives. */
  requested_at: instant,
})

const resourceIdsMax = 200

/** Resources that a service erased in one transaction. */
export const erasureReport = z.object({
  erasure_id: uuid,
  service: z.enum(erasingServices),
  resource_ids: z.array(uuid).max(resourceIdsMax),
  /** Null: the payer is erased from the resources. A version: only from copies of their events with a lower one. */
  versions_below: z.int32().min(1).nullable().default(null),
  /** The service has erased everything that it found. */
  is_last: z.boolean(),
})

export type ErasureReport = z.output<typeof erasureReport>

/** Webhooks has erased the copies of the resources of a report. */
export const copiesReport = z.object({
  erasure_id: uuid,
  /** The id of the event with the report. */
  report_id: uuid,
})

export const copiesReportType = 'webhooks.payers.erased'

export const reportTypeOf = <const S extends ErasingService>(service: S) => `${service}.payers.erased` as const

/** The definition of a service's report, whose type is `reportTypeOf(service)`. */
export const erasureReportEvent = {
  description: 'A service erased personal data of a payer.',
  scope: 'tenant',
  payload: erasureReport,
} as const
