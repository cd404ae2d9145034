import type { Content, ProviderName } from '../domain/communication.ts'
import type { CommunicationType } from '../domain/template.ts'

export interface Message {
  /** The id of the communication or mail, the same for each attempt: a provider that knows it sends nothing again. */
  readonly id: string
  readonly tenantId: string
  /** Null: on behalf of the tenant. */
  readonly businessUnitId: string | null
  readonly communicationType: CommunicationType
  readonly recipient: string
  readonly content: Content
}

export type SendOutcome =
  | { readonly kind: 'accepted'; readonly providerMessageId: string | null }
  /** For good: another attempt would be refused too. */
  | { readonly kind: 'refused'; readonly detail: string }
  /** `reason` has no text of the message and no address. */
  | { readonly kind: 'unavailable'; readonly reason: string }

/**
 * Hands one message to a service that delivers it. `send` never throws for a failure of that service. It ends when
 * `signal` aborts, as `unavailable`; the service may have accepted the message nevertheless.
 */
export interface Provider {
  readonly name: ProviderName
  send(message: Message, signal: AbortSignal): Promise<SendOutcome>
}

export type Providers = Readonly<Record<CommunicationType, Provider>>

const messageIdLengthMax = 500
const detailLengthMax = 500

/** An id that cannot be stored as it is becomes null: a text of the provider never undoes what it did. */
export function acceptedOutcome(providerMessageId: string | null): SendOutcome {
  const isStorable =
    providerMessageId !== null &&
    providerMessageId.length > 0 &&
    providerMessageId.length <= messageIdLengthMax &&
    !/[\p{Cc}\p{Surrogate}]/u.test(providerMessageId)
  return { kind: 'accepted', providerMessageId: isStorable ? providerMessageId : null }
}

/** A text of the provider, as shown to the tenant. */
export function refusedOutcome(detail: string): SendOutcome {
  const readable = detail.replaceAll(/[\s\p{Cc}\p{Surrogate}]+/gu, ' ').trim()
  const cut = readable.slice(0, detailLengthMax).replace(/\p{Surrogate}$/u, '')
  return { kind: 'refused', detail: cut || 'without a reason' }
}

export const timedOut: SendOutcome = { kind: 'unavailable', reason: 'timeout' }
