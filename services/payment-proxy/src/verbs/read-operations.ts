import type { Caller } from '@payments/chassis/base/caller'
import { idBefore, type Page, type PageQuery, toPage } from '@payments/contracts/grammar/page'
import { searchedPage } from '@payments/contracts/grammar/searched-page'
import type { Operation as OperationReply, SandboxOperation } from '@payments/contracts/nouns/transaction'
import type { Deps } from '../deps.ts'
import { presentOperation } from '../domain/operation.ts'
import { findOperations } from '../store/operations.ts'
import { findSandboxOperations, type SandboxRow } from '../store/sandbox-operations.ts'
import { requireTransaction } from '../store/transactions.ts'

/** Throws transaction_not_found. */
export async function listOperations(
  deps: Deps,
  { tenantId }: Caller,
  transactionId: string,
  { cursor, limit }: PageQuery,
): Promise<Page<OperationReply>> {
  const before = idBefore(cursor)
  const operations = await deps.db.readInTenant(tenantId, async (tx) => {
    await requireTransaction(tx, tenantId, transactionId)
    return findOperations(tx, tenantId, transactionId, { before, limit })
  })
  const now = deps.now()
  return toPage(operations, limit, (operation) => presentOperation(operation, now))
}

/** The ledger of the sandbox: the operations as the provider recorded them. */
export async function listSandboxOperations(
  deps: Deps,
  { tenantId }: Caller,
  query: PageQuery & { business_unit_id?: string | undefined; transaction_id?: string | undefined },
): Promise<Page<SandboxOperation>> {
  const { limit, business_unit_id: businessUnitId, transaction_id: transactionId } = query
  const filter = { businessUnitId, transactionId, before: idBefore(query.cursor), limit }
  const found = await deps.db.inTenant(tenantId, (tx) => findSandboxOperations(tx, tenantId, filter))
  return searchedPage(found, limit, presentSandboxOperation)
}

function presentSandboxOperation(row: SandboxRow): SandboxOperation {
  return {
    id: row.id,
    type: row.type,
    state: row.state,
    amount: row.amount,
    amount_released: row.amountReleased,
    currency: row.currency,
    authorization_id: row.authorizationId,
    decline_code: row.declineCode,
    received_at: row.receivedAt.toISOString(),
  }
}
