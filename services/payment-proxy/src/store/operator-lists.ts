import type { Operation } from '../domain/operation.ts'
import type { Transaction } from '../domain/transaction.ts'
import { Prisma } from '../generated/client.ts'
import type { Tx } from './database.ts'

/** Lists for operators, over all tenants, oldest first. Each returns one row more than `limit` when there are more. */

export type MovedRow = Pick<
  Operation,
  'id' | 'transactionId' | 'type' | 'state' | 'amount' | 'providerReference' | 'createdAt'
> &
  Pick<Transaction, 'businessUnitId' | 'paymentOrchestratorId' | 'currency'>

type OpenColumn = 'tenantId' | 'openReason' | 'attemptCount' | 'action' | 'pendingReportedAt' | 'traceId'
type OpenRow = MovedRow & Pick<Operation, OpenColumn> & { readonly dueAt: Date }

interface Paging {
  readonly after: string | undefined
  readonly limit: number
}

const movedColumns = Prisma.sql`o.id::text AS "id", o.transaction_id::text AS "transactionId",
  t.business_unit_id::text AS "businessUnitId", t.payment_orchestrator_id::text AS "paymentOrchestratorId",
  o.type::text AS "type", o.state::text AS "state", o.amount::float8 AS "amount", t.currency,
  o.provider_reference AS "providerReference", o.created_at AS "createdAt"`

const joined = Prisma.sql`FROM operations o JOIN transactions t ON t.id = o.transaction_id`

export function findOpenOperations(
  tx: Tx,
  { tenantId, after, limit }: Paging & { readonly tenantId: string | undefined },
): Promise<OpenRow[]> {
  const ofTenant = tenantId === undefined ? Prisma.empty : Prisma.sql`AND o.tenant_id = ${tenantId}::uuid`
  return tx.$queryRaw`
    SELECT ${movedColumns}, o.tenant_id::text AS "tenantId", o.open_reason AS "openReason",
      o.attempt_count AS "attemptCount", o.due_at AS "dueAt", o.action,
      o.pending_reported_at AS "pendingReportedAt", o.trace_id::text AS "traceId"
    ${joined} WHERE o.due_at IS NOT NULL ${ofTenant} ${behindId(after)} ORDER BY o.id LIMIT ${limit + 1}`
}

/** Operations of a business unit that went to a provider, created from `from` to before `to`. */
export function findRecordedOperations(
  tx: Tx,
  { businessUnitId, from, to, after, limit }: Paging & { businessUnitId: string; from: Date; to: Date },
): Promise<MovedRow[]> {
  return tx.$queryRaw`
    SELECT ${movedColumns} ${joined} WHERE t.business_unit_id = ${businessUnitId}::uuid AND o.amount > 0
      AND o.created_at >= ${from} AND o.created_at < ${to} ${behindId(after)} ORDER BY o.id LIMIT ${limit + 1}`
}

function behindId(after: string | undefined): Prisma.Sql {
  return after === undefined ? Prisma.empty : Prisma.sql`AND o.id > ${after}::uuid`
}
