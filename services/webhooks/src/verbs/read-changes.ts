import type { Caller } from '@payments/chassis/base/caller'
import type { Changes } from '@payments/contracts/services/webhooks/changes'
import type { Deps } from '../deps.ts'
import { presentChanges, sequencesBehind } from '../domain/changes.ts'
import { findSequences } from '../store/changes.ts'

/** Without `after`, and with `waitSeconds` 0, waits for nothing. */
export async function readChanges(
  { db, waits }: Pick<Deps, 'db' | 'waits'>,
  { tenantId, left }: Caller,
  { after, waitSeconds }: { readonly after: string | undefined; readonly waitSeconds: number },
): Promise<Changes> {
  const known = after === undefined ? undefined : sequencesBehind(after)
  const now =
    known === undefined || waitSeconds === 0
      ? await db.readInTenant(tenantId, (tx) => findSequences(tx, tenantId))
      : await waits.wait(tenantId, known, waitSeconds * 1_000, left)
  return presentChanges(known, now)
}
