import { z } from 'zod'
import type { Endpoint } from '../../grammar/contract.ts'
import { id, instant, instantInput, text, uuid } from '../../grammar/field.ts'
import { limitMax, page, positionedPageQuery } from '../../grammar/page.ts'
import { internalRoute } from '../../grammar/route.ts'
import { openStates, operationState, operationType } from '../../nouns/transaction.ts'

/** Lists for operators: open operations, and the two sides of a reconciliation. */

const openOperation = z.object({
  id: uuid,
  tenant_id: uuid,
  business_unit_id: uuid,
  payment_orchestrator_id: uuid,
  transaction_id: uuid,
  type: operationType,
  state: z.enum(openStates),
  /** Why the outcome is not known: what the latest request to the provider ended with. Null before its end. */
  reason: z.string().nullable(),
  amount: z.int(),
  currency: z.string(),
  provider_reference: z.string().nullable(),
  attempt_count: z.int(),
  created_at: instant,
  /** When the provider is queried for the outcome again. */
  due_at: instant,
  trace_id: uuid,
})

export type OpenOperation = z.output<typeof openOperation>

const moved = {
  payment_orchestrator_id: uuid,
  provider_reference: z.string().nullable(),
  type: operationType,
  amount: z.int(),
  currency: z.string(),
}

/** An operation in our books. */
const recordedOperation = z.object({
  ...moved,
  operation_id: uuid,
  transaction_id: uuid,
  state: operationState.exclude(['needs_review']),
  created_at: instant,
})

export type RecordedOperation = z.output<typeof recordedOperation>

/** An operation as the payment provider reports it. */
const reportedOperation = z.object({
  ...moved,
  operation_id: uuid.nullable(),
  state: z.enum(['succeeded', 'declined', 'pending']),
  received_at: instant,
})

export type ReportedOperation = z.output<typeof reportedOperation>

/** A payment orchestrator without a report, or with the beginning of one. */
const notCompared = z.object({
  payment_orchestrator_id: uuid,
  /** unsupported: its connector cannot report operations · failed: its provider does not report them at the moment. */
  kind: z.enum(['unsupported', 'failed']),
  reason: z.string(),
})

export type NotCompared = z.output<typeof notCompared>

const window = {
  business_unit_id: id,
  from: instantInput,
  to: instantInput,
}

export const paymentOperatorEndpoints = {
  listOpenOperations: {
    ...internalRoute('GET', '/internal/open-operations', 'payctl'),
    summary: 'List the operations of all tenants whose outcome is not known, oldest first.',
    query: positionedPageQuery(50).extend({ tenant_id: id.optional() }),
    replies: { 200: page(openOperation) },
  },
  listRecordedOperations: {
    ...internalRoute('GET', '/internal/recorded-operations', 'payctl'),
    summary: 'List the operations of a business unit that were created in a period and went to a provider.',
    query: positionedPageQuery(limitMax).extend(window),
    replies: { 200: page(recordedOperation) },
  },
  listReportedOperations: {
    ...internalRoute('GET', '/internal/reported-operations', 'payctl'),
    summary: "Read what a unit's payment providers report about a period, a page of one provider at a time.",
    query: z.strictObject({ ...window, cursor: text(4096).optional() }),
    replies: {
      200: z.object({
        operations: z.array(reportedOperation),
        not_compared: z.array(notCompared),
        /** `cursor` of the next page. Null on the last page. */
        next: z.string().nullable(),
      }),
    },
    problems: ['business_unit_not_found'],
  },
} as const satisfies Readonly<Record<string, Endpoint>>
