import { purgeHourlyCounts } from '@payments/chassis/database/hourly-counts'
import { runPurges } from '@payments/chassis/database/purges'
import { purgeIdempotencyKeys } from '@payments/chassis/request/idempotency'
import type { Deps } from '../deps.ts'
import { purgeMessageRates } from '../store/message-rates.ts'
import { purgeOutbox } from '../store/outbox-messages.ts'
import { purgeRequests } from '../store/payer-erasures.ts'
import { purgeMails } from '../store/user-invitation-mails.ts'

/**
 * Deletes expired Idempotency-Keys, unused rates, old messages of the provider `outbox`, old mails of user
 * invitations, old counts, and erasures of payers that were completed long ago, up to a limit per run.
 */
export async function purgeExpired(deps: Pick<Deps, 'db' | 'now'>): Promise<void> {
  await runPurges(deps.db, [
    purgeIdempotencyKeys,
    (tx) => purgeMessageRates(tx, deps.now()),
    purgeOutbox,
    (tx) => purgeMails(tx, deps.now()),
  ])
  await deps.db.acrossTenants(async (tx) => {
    await purgeRequests(tx)
    await purgeHourlyCounts(tx, deps.now())
  })
}
