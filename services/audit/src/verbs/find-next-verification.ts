import type { Deps } from '../deps.ts'
import { nextVerification } from '../store/verifications.ts'

/** When the next range of a chain is to be verified. */
export function findNextVerification({ db, now }: Pick<Deps, 'db' | 'now'>): Promise<number | null> {
  return nextVerification(db.crossTenant, now())
}
