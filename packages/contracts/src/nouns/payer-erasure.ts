import { z } from 'zod'
import { emailAddressKey } from '../grammar/email-address.ts'
import { tenantEvent } from '../grammar/event.ts'
import { instant, uuid } from '../grammar/field.ts'
import { recipientOfEither, recipientPattern, recipientText } from './communication-text.ts'

/**
 * The erasure of the personal data of a payer, between services. Their events are internal: no subscription gets them,
 * and webhooks stores none.
 */

/** An email address, or a phone number in E.164. Addresses of one mailbox are the same: see `normalizeAddress`. */
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
export function normalizeAddress(value: string): string {
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

/** The services with data of payers that does not expire within a month. */
export const erasingServices = ['payment-proxy', 'invite-to-pay', 'communication'] as const
export type ErasingService = (typeof erasingServices)[number]

/**
 * Days after an event or a request until its copies of a payer are gone: in outboxes, webhooks and stored responses. No
 * retention of copies may be longer.
 */
export const copyDaysMax = 31

export const erasureRequestType = 'communication.payers.erase'

export const erasureRequest = z.object({
  erasure_id: uuid,
  /** As the operator wrote it. */
  recipient: payerRecipient,
  /** Resources that were created later are not erased, whenever the event arrives. */
  requested_at: instant,
})

/** A service has erased the payer. */
export const erasureReport = z.object({
  erasure_id: uuid,
  service: z.enum(erasingServices),
  /** Number of resources that lost the payer. */
  resources: z.int().min(0),
})

export type ErasureReport = z.output<typeof erasureReport>

export const erasureReportType = <const S extends ErasingService>(service: S) => `${service}.payers.erased` as const

/** The definition of a service's report, whose type is `erasureReportType(service)`. */
export const erasureReportEvent = tenantEvent('A service erased the personal data of a payer.', erasureReport)
