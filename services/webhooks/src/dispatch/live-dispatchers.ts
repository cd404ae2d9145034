import { randomUUID } from 'node:crypto'
import { everyResting } from '@payments/chassis/process/schedule'
import { isOutage } from '@payments/messaging/consume/outage'
import { endLease, type Live, renewLease } from '../store/live-dispatchers.ts'
import type { DispatcherDeps } from './deps.ts'

const renewal = { intervalMs: 1_000, restMs: 5_000 }
/** Above the longest attempt (10 s): the attempts of a killed dispatcher may still be in progress at receivers. */
const liveLeaseMs = 15_000

/**
 * **What it does.** Divides limits among the dispatchers that are alive.
 *
 * **Participants.** Each dispatcher has a row with a lease in the database that they share. The renewal, more frequent
 * with work, returns the number of live dispatchers and the rank of this one among them. The first ranks get the
 * remainder of a division.
 *
 * **Guarantees.** The parts of the live dispatchers add up to the limit. The part of a killed dispatcher returns to the
 * others after `liveLeaseMs` and one renewal; the part of a stopped one after one renewal.
 *
 * **Not guaranteed.** While the database does not respond, each dispatcher keeps its last part. It cannot claim
 * deliveries either, so it starts no attempts beyond those that it has.
 */
export async function startLiveDispatchers({ db, log, metrics }: Pick<DispatcherDeps, 'db' | 'log' | 'metrics'>) {
  const id = randomUUID()
  let live: Live = { total: 1, rank: 0 }
  const renew = async () => {
    live = await renewLease(db.crossTenant, id, liveLeaseMs)
    metrics.liveDispatchers.set(live.total)
  }
  const tryToRenew = async () => {
    try {
      await renew()
    } catch (err) {
      if (!isOutage(err)) throw err
      log.warn({ err }, 'lease of the dispatcher not renewed; the limits stay divided as before')
    }
  }
  // A dispatcher knows its part before it attempts a delivery.
  await tryToRenew()
  const renewals = everyResting({ ...renewal, signals: db.changes }, 'renew-dispatcher-lease', log, tryToRenew)
  return {
    /** The part of a limit that belongs to this process: at least one. */
    ownPart: (limit: number) => ownPart(limit, live),
    /** Ends the lease. */
    stop: async () => {
      await renewals.stop()
      await endLease(db.crossTenant, id).catch((err) =>
        log.warn({ err }, 'lease of the dispatcher not ended; it expires'),
      )
    },
  }
}

export function ownPart(limit: number, { total, rank }: Live): number {
  return Math.max(1, Math.floor(limit / total) + (rank < limit % total ? 1 : 0))
}
