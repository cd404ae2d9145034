import { scopes } from './scope.ts'
import type { SqlTx } from './transaction.ts'

/**
 * Without sorts, and costs count rows instead of pages. A sort that is needed all the same has an enormous cost, by
 * which PostgreSQL would compile the plan.
 */
const settings = { enable_sort: 'off', random_page_cost: '0', seq_page_cost: '0', jit: 'off' }

const set = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', true)`)
const names = Object.keys(settings).map((name) => `'${name}'`)

/**
 * Runs `read` with plans that take the fewest rows in the order of an index, and stop early, instead of sorting them.
 *
 * The planner cannot estimate how many rows row-level security leaves, and expects few. So for one page of a large
 * tenant it may choose to read and sort all rows. A query without an index in its order sorts as before. `read` must
 * not write; the transaction continues with usual plans.
 */
export async function inIndexOrder<R>(tx: SqlTx, read: () => Promise<R>): Promise<R> {
  if (scopes.getStore()?.of !== 'transaction') throw new Error('inIndexOrder: outside of a transaction')
  await tx.$queryRawUnsafe(`SELECT ${set.join(', ')}`)
  const result = await read()
  await tx.$queryRawUnsafe(
    `SELECT set_config(name, reset_val, true) FROM pg_settings WHERE name IN (${names.join(', ')})`,
  )
  return result
}
