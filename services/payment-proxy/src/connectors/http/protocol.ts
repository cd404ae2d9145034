import { z } from 'zod'
import type { KnownOutcome } from '../../domain/outcome.ts'
import type { ReportedOperation } from '../connector.ts'
import { declineCodes } from '../decline-code.ts'

/** The messages of docs/connectors.md. Members that it does not name are rejected. */
const operationId = z.uuid()
/** PostgreSQL stores neither U+0000 nor half of a surrogate pair: the outcome could never be recorded. */
const text = (charactersMax: number) =>
  z
    .string()
    .max(charactersMax)
    .regex(/^[^\p{Cc}\p{Cs}]+$/u)
const reference = text(200)
const amount = z.int().min(0).max(999_999_999_999)
const currency = z.string().regex(/^[A-Z]{3}$/)

const paymentMethod = z.strictObject({
  type: z.enum(['CREDIT_CARD', 'ACH']),
  brand: text(50),
  last4: z.string().regex(/^\d{4}$/),
})

const decline = z.strictObject({
  code: z.enum(declineCodes),
  retryable: z.boolean(),
  provider_code: text(100).nullable(),
})

const operation = z.discriminatedUnion('state', [
  z.strictObject({
    operation_id: operationId,
    state: z.literal('succeeded'),
    reference,
    amount,
    currency,
    payment_method: paymentMethod.optional(),
  }),
  z.strictObject({
    operation_id: operationId,
    state: z.literal('declined'),
    reference: reference.nullable(),
    decline,
  }),
  z.strictObject({ operation_id: operationId, state: z.literal('pending'), reference: reference.nullable() }),
])

/** An operation as the adapter reports it. Throws when the body is none, or another operation. */
export function outcomeOf(body: unknown, operationIdSent: string): KnownOutcome {
  const reported = operation.parse(body)
  if (reported.operation_id !== operationIdSent) throw new Error('the adapter reported another operation')
  return known(reported)
}

function known(reported: z.output<typeof operation>): KnownOutcome {
  const { reference: providerReference } = reported
  switch (reported.state) {
    case 'succeeded': {
      const { payment_method, ...money } = reported
      const succeeded = {
        kind: 'succeeded',
        providerReference,
        amount: money.amount,
        currency: money.currency,
      } as const
      return payment_method === undefined ? succeeded : { ...succeeded, paymentMethod: payment_method }
    }
    case 'declined': {
      const { code: declineCode, retryable, provider_code: providerCode } = reported.decline
      return { kind: 'declined', providerReference, declineCode, retryable, providerCode }
    }
    case 'pending':
      return { kind: 'pending', providerReference }
  }
}

const problem = z.object({ code: z.string() })

/** Whether the adapter never received the operation, and rejects its id from now on. */
export function isNotFound(status: number, body: unknown): boolean {
  return status === 404 && problem.safeParse(body).data?.code === 'operation_not_found'
}

const operationsMax = 100

const report = z.strictObject({
  operations: z
    .array(
      z.strictObject({
        operation_id: operationId,
        type: z.enum(['authorize', 'capture', 'void', 'refund']),
        state: z.enum(['succeeded', 'declined', 'pending']),
        reference,
        amount,
        currency,
        received_at: z.iso.datetime(),
      }),
    )
    .max(operationsMax),
  next: z.string().min(1).max(500).nullable(),
})

export function reportOf(body: unknown): { operations: ReportedOperation[]; next: string | null } {
  const { operations, next } = report.parse(body)
  return {
    operations: operations.map(({ operation_id, reference: providerReference, received_at, ...same }) => ({
      ...same,
      operationId: operation_id,
      providerReference,
      receivedAt: new Date(received_at),
    })),
    next,
  }
}

const event = z.discriminatedUnion('type', [z.strictObject({ type: z.literal('operation.updated'), operation })])
const anyEvent = z.object({ type: z.string() })

/** The reported operation · ignored: an event of another type · null: no event. */
export function eventOf(body: unknown): { operationId: string; outcome: KnownOutcome } | 'ignored' | null {
  const updated = event.safeParse(body)
  if (updated.success) {
    const { operation: reported } = updated.data
    return { operationId: reported.operation_id, outcome: known(reported) }
  }
  const other = anyEvent.safeParse(body)
  return other.success && other.data.type !== 'operation.updated' ? 'ignored' : null
}
