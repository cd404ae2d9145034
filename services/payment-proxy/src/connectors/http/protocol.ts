import { instantInput } from '@payments/contracts/grammar/field'
import { authenticationResults, type PaymentAuthentication } from '@payments/contracts/nouns/transaction'
import { z } from 'zod'
import type { KnownOutcome } from '../../domain/outcome.ts'
import type { ReportedOperation } from '../connector.ts'
import { type DeclineCode, declineCodes, declineCodesOf1 } from '../decline-code.ts'

/**
 * The messages of docs/connectors.md, read liberally: unknown members are ignored, and a malformed text beside the
 * outcome is left out. State, amount, currency and the id of the operation are strict. `provider-text.ts` shortens and
 * cleans each text, so no text makes an outcome unknown.
 */
const operationId = z.uuid()
const text = z.union([z.string(), z.number().transform(String)])
const optionalText = text.nullable().default(null).catch(null)
const amount = z.int().min(0).max(999_999_999_999)
const currency = z.string().regex(/^[A-Z]{3}$/)

const paymentMethod = z
  .object({ type: z.enum(['CREDIT_CARD', 'ACH']), brand: text.catch('unknown'), last4: z.string().regex(/^\d{4}$/) })
  .nullish()
  .catch(null)

/** 2: the adapter may report that the payer must confirm a payment. A setting of the payment orchestrator. */
export type ProtocolVersion = 1 | 2

/** A code that is not known is `card_declined`; the code is `provider_code` then. */
const declineSchema = <C extends readonly [DeclineCode, ...DeclineCode[]]>(codes: C) =>
  z
    .object({ code: text, retryable: z.boolean().catch(false), provider_code: optionalText })
    .transform(({ code: given, retryable, provider_code }) => {
      const code = codes.find((one) => one === given)
      return code === undefined
        ? { code: 'card_declined' as const, retryable, provider_code: provider_code ?? given }
        : { code, retryable, provider_code }
    })
    .catch({ code: 'card_declined', retryable: false, provider_code: null })

const operation = z.object({ operation_id: operationId, reference: optionalText })
const succeeded = operation.extend({ state: z.literal('succeeded'), amount, currency, payment_method: paymentMethod })
const declined = operation.extend({ state: z.literal('declined'), decline: declineSchema(declineCodesOf1) })
const pending = operation.extend({ state: z.literal('pending') })

const authentication = z
  .object({
    version: optionalText,
    result: z.enum(authenticationResults),
    eci: optionalText,
    transaction_id: optionalText,
  })
  .nullish()
  .catch(null)

/**
 * `provider.ts` checks the values of an action, and cancels the operation where they are of no use
 * (`actionViolation`). An error here would leave the operation open at the provider, so an action of another form is
 * one without an address.
 */
const action = z
  .object({ type: z.literal('redirect'), url: z.string(), expires_at: z.string() })
  .catch({ type: 'redirect', url: '', expires_at: '' })
const actionRequired = operation.extend({ state: z.literal('action_required'), action })

const operationSchema1 = z.discriminatedUnion('state', [succeeded, declined, pending])
const operationSchema2 = z.discriminatedUnion('state', [
  succeeded.extend({ authentication }),
  declined.extend({ decline: declineSchema(declineCodes), authentication }),
  pending,
  actionRequired,
])
const operationSchemas = { 1: operationSchema1, 2: operationSchema2 } as const
type Reported = z.output<typeof operationSchema1> | z.output<typeof operationSchema2>

/** An operation as the adapter reports it. Throws when the body is none, or another operation. */
export function parseOutcome(body: unknown, operationIdSent: string, version: ProtocolVersion): KnownOutcome {
  const reported = operationSchemas[version].parse(body)
  if (reported.operation_id !== operationIdSent) throw new Error('the adapter reported another operation')
  return toKnownOutcome(reported)
}

function toKnownOutcome(reported: Reported): KnownOutcome {
  const { reference: providerReference } = reported
  switch (reported.state) {
    case 'succeeded': {
      const { amount, currency, payment_method: paymentMethod } = reported
      return {
        kind: 'succeeded',
        providerReference,
        amount,
        currency,
        ...(paymentMethod == null ? {} : { paymentMethod }),
        ...authenticationMember(reported),
      }
    }
    case 'declined': {
      const { code: declineCode, retryable, provider_code: providerCode } = reported.decline
      return {
        kind: 'declined',
        providerReference,
        declineCode,
        retryable,
        providerCode,
        ...authenticationMember(reported),
      }
    }
    case 'action_required':
      return { kind: 'action_required', providerReference, action: reported.action }
    case 'pending':
      return { kind: 'pending', providerReference }
  }
}

function authenticationMember(reported: Reported): { readonly authentication?: PaymentAuthentication } {
  if (!('authentication' in reported) || reported.authentication == null) return {}
  return { authentication: reported.authentication }
}

const problem = z.object({ code: z.string() })

/** Whether the adapter never received the operation, and rejects its id from now on. */
export function isNotFound(status: number, body: unknown): boolean {
  return status === 404 && problem.safeParse(body).data?.code === 'operation_not_found'
}

const operationsMax = 100

const report = z.object({
  operations: z
    .array(
      z.object({
        operation_id: operationId,
        type: z.enum(['authorize', 'capture', 'void', 'refund']),
        state: z
          .enum(['succeeded', 'declined', 'pending', 'action_required'])
          .transform((state) => (state === 'action_required' ? 'pending' : state)),
        reference: optionalText,
        // Of any size and case: an operation that we do not know must not hide the others.
        amount: z.int(),
        currency: z.string().max(10),
        received_at: instantInput,
      }),
    )
    .max(operationsMax),
  next: z.string().min(1).max(500).nullable().default(null),
})

export function parseReport(body: unknown): { operations: ReportedOperation[]; next: string | null } {
  const { operations, next } = report.parse(body)
  return {
    operations: operations.map(({ operation_id, reference: providerReference, received_at: receivedAt, ...same }) => ({
      ...same,
      operationId: operation_id,
      providerReference,
      receivedAt,
    })),
    next,
  }
}

const eventSchema = (reported: (typeof operationSchemas)[ProtocolVersion]) =>
  z.object({ type: z.literal('operation.updated'), operation: reported })
const events = { 1: eventSchema(operationSchema1), 2: eventSchema(operationSchema2) } as const
const anyEvent = z.object({ type: z.string() })

/** The reported operation · ignored: an event of another type · null: no event. */
export function parseEvent(
  body: unknown,
  version: ProtocolVersion,
): { operationId: string; outcome: KnownOutcome } | 'ignored' | null {
  const updated = events[version].safeParse(body)
  if (updated.success) {
    const { operation: reported } = updated.data
    return { operationId: reported.operation_id, outcome: toKnownOutcome(reported) }
  }
  const other = anyEvent.safeParse(body)
  return other.success && other.data.type !== 'operation.updated' ? 'ignored' : null
}
