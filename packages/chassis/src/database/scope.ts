import { AsyncLocalStorage } from 'node:async_hooks'
import type { Statement } from './statement.ts'

/**
 * The rows that the statements of a call may see and change. Pools read it when Prisma takes a session or sends a
 * statement, because Prisma has no parameter for it.
 */
export interface Scope {
  /** A tenant, or `allTenants`. */
  readonly tenantId: string
  /** `transaction`: from BEGIN to COMMIT. `statement`: each statement is its own transaction. */
  readonly of: 'transaction' | 'statement'
  readonly isolationLevel: 'RepeatableRead' | undefined
}

export const allTenants = '*'

export const scopes = new AsyncLocalStorage<Scope>()

/** Row-level security compares this setting with the tenant of each row. It ends with the transaction. */
export function setScope(tenantId: string): Statement {
  return { text: `SELECT set_config('app.tenant_id', $1, true)`, values: [tenantId] }
}

/** The statements that begin a transaction in the scope. */
export function beginIn({ tenantId, isolationLevel }: Scope): readonly Statement[] {
  const begin = isolationLevel === undefined ? 'BEGIN' : 'BEGIN ISOLATION LEVEL REPEATABLE READ'
  return [{ text: begin, values: [] }, setScope(tenantId)]
}
