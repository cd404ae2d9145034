import type { Deps } from '../deps.ts'
import { leaseOperation } from '../domain/lease.ts'
import type { Operation } from '../domain/operation.ts'
import { replaceOperation } from '../domain/transaction.ts'
import { accessBooks, changeBooks, type FoundBooks, readBooks, requireFound } from './books.ts'

interface Selected extends FoundBooks {
  /** Null when `select` selects none, or when other processes claim it. */
  readonly operation: Operation | null
}

/**
 * Leases the operation that `select` selects. The resume loop leases many at once, by SQL (`claim` of
 * store/operations.ts). Throws transaction_not_found.
 */
export async function leaseSelected(
  deps: Deps,
  { tenantId, transactionId }: { readonly tenantId: string; readonly transactionId: string },
  select: (operations: readonly Operation[]) => Operation | undefined,
): Promise<Selected> {
  const access = accessBooks(deps.db, tenantId)
  const claimed = await changeBooks(deps, access, { transactionId }, (books) => {
    const { aggregate: before, orchestrator } = requireFound(books)
    const selected = select(before.operations)
    if (selected === undefined) return { aggregate: before, operation: null, orchestrator, change: null }
    const operation = leaseOperation(selected, deps.now())
    const aggregate = replaceOperation(before, operation)
    return {
      aggregate,
      operation,
      orchestrator,
      change: { before, after: aggregate },
    }
  })
  return claimed ?? { ...requireFound(await readBooks(access, { transactionId })), operation: null }
}
