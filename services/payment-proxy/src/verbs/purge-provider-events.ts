import { firstIdAt } from '@payments/chassis/base/id'
import { runPurges } from '@payments/chassis/database/purges'
import type { Deps } from '../deps.ts'
import { retentionMs } from '../domain/provider-event.ts'
import { purgeEvents } from '../store/provider-events.ts'

/** Deletes events of payment providers beyond their retention. Returns their number. */
export function purgeProviderEvents({ db, now }: Pick<Deps, 'db' | 'now'>): Promise<number> {
  const idBefore = firstIdAt(new Date(now().getTime() - retentionMs))
  return runPurges(db, [purgeEvents(idBefore)])
}
