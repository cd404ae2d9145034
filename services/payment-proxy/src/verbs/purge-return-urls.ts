import { runPurges } from '@payments/chassis/database/purges'
import type { Deps } from '../deps.ts'
import { deleteReturnUrls } from '../store/sandbox-operations.ts'

const dayMs = 24 * 60 * 60_000

/**
 * Deletes pages to return to from the ledger of the sandbox, a day after the end of the time to decide: the page of an
 * invitation has its link to pay. Returns their number.
 */
export function purgeReturnUrls({ db, now }: Pick<Deps, 'db' | 'now'>): Promise<number> {
  const before = new Date(now().getTime() - dayMs)
  return runPurges(db, [(tx) => deleteReturnUrls(tx, before)])
}
