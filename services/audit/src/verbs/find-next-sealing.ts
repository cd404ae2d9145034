import type { Deps } from '../deps.ts'
import { nextSealing } from '../store/chains.ts'

/** At once while a chain has records that are not sealed. */
export function findNextSealing({ db }: Pick<Deps, 'db'>): Promise<number | null> {
  return nextSealing(db.crossTenant)
}
