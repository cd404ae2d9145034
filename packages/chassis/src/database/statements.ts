import { allTenants } from './scope.ts'
import type { SessionPool } from './session.ts'
import type { SqlTx } from './transaction.ts'

/** Statements over all tenants. Each is its own transaction, in one round trip. */
export function statementsAcrossTenants(pool: SessionPool): SqlTx {
  return statements(async (statement) => {
    const [result] = await pool.pipeline(allTenants, [statement])
    return result ?? noRows
  })
}

/** Statements on tables without row-level security. Each is its own transaction, in one round trip. */
export function statementsWithoutTenant(pool: SessionPool): SqlTx {
  return statements((statement) => pool.statement(statement))
}

interface Result {
  readonly rows: readonly unknown[]
  readonly rowCount: number | null
}

const noRows: Result = { rows: [], rowCount: 0 }

function statements(run: (statement: { text: string; values: readonly unknown[] }) => Promise<Result>): SqlTx {
  return {
    $queryRawUnsafe: async <T>(text: string, ...values: unknown[]) => (await run({ text, values })).rows as T,
    $executeRawUnsafe: async (text, ...values) => (await run({ text, values })).rowCount ?? 0,
  }
}
