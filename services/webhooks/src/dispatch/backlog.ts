import { type Backlog, closeBacklogs, countBacklog, listBacklogs } from '../store/delivery/backlog.ts'
import { type BacklogClaim, type ClaimedDelivery, claimFromBacklogs } from '../store/delivery/claim-from-backlogs.ts'
import * as fanOuts from '../store/event/unfinished-fan-outs.ts'
import type { WorkerDeps } from './deps.ts'

/**
 * **What it does.** One run of the backlog dispatcher: gives the oldest deliveries of each backlog to the workers of
 * the process, within the limits.
 *
 * **Guarantees.**
 * 1. A backlog of any length moves as fast as its receiver responds. Several dispatchers share a backlog.
 * 2. Other destinations wait for at most one share of it: `perBacklogMax` deliveries per statement.
 * 3. The backlog of a disabled subscription or of an open breaker stays, except one delivery that probes the
 *    destination, at once or after `probeAfterMs`.
 * 4. The sweeper recovers what a killed process had claimed.
 *
 * **Not guaranteed.** The order of attempts: they are concurrent.
 *
 * Reads a page of backlogs after `after`. Returns where the next run continues; null is the start.
 */
export async function dispatchBacklogs(deps: BacklogDeps, after: string | null): Promise<string | null> {
  const { limits } = deps
  let free = deps.workers.free()
  if (free === 0) return after
  const probeMs = limits.breaker.probeAfterMs
  const backlogs = await listBacklogs(deps.db.crossTenant, { after, limit: backlogsMax, probeMs })
  for (const backlog of backlogs) limits.markBacklogged(backlog)
  let remaining: readonly Backlog[] = backlogs
  while (free > 0) {
    const claims = allocate(remaining, Math.min(free, rowsMax), (backlog, wanted) =>
      backlog.probe ? Number(limits.startDue(backlog)) : limits.startBacklogged(backlog, wanted),
    )
    if (claims.length === 0) break
    const { claimed, exhausted } = await claim(deps, claims)
    free -= Math.max(claimed, 1)
    // One probe is enough.
    remaining = remaining.filter((backlog) => !backlog.probe && !exhausted.has(backlog))
  }
  return backlogs.length < backlogsMax ? null : (backlogs.at(-1)?.subscriptionId ?? null)
}

/** Sets the gauges of the backlog and of unfinished fan-outs. */
export async function measureBacklog({ db, metrics }: Pick<WorkerDeps, 'db' | 'metrics'>): Promise<void> {
  const state = await countBacklog(db.crossTenant)
  metrics.backlogged.set(state.backlogged)
  metrics.dispatchable.set(state.dispatchable)
  metrics.oldestDispatchableSeconds.set(state.oldestDispatchableSeconds)
  metrics.breakersOpen.set(state.breakersOpen)
  metrics.unfinishedFanOuts.set(await fanOuts.count(db.crossTenant))
}

type BacklogDeps = Pick<WorkerDeps, 'db' | 'limits' | 'workers'>

const backlogsMax = 1_000
/** Per statement, which also reads the bodies. */
const rowsMax = 400
const perBacklogMax = 40

/** Starts at a random backlog, because the first one gets the whole capacity of its tenant. */
function allocate(
  backlogs: readonly Backlog[],
  rowsMax: number,
  start: (backlog: Backlog, wanted: number) => number,
): BacklogClaim[] {
  const first = Math.floor(Math.random() * backlogs.length)
  const claims: BacklogClaim[] = []
  let rows = 0
  for (const backlog of [...backlogs.slice(first), ...backlogs.slice(0, first)]) {
    const capacity = start(backlog, Math.min(perBacklogMax, rowsMax - rows))
    if (capacity > 0) claims.push({ backlog, capacity })
    rows += capacity
    if (rows >= rowsMax) break
  }
  return claims
}

/** Returns how many deliveries were claimed, and the backlogs that have no more. */
async function claim(
  { db, limits, workers }: BacklogDeps,
  claims: readonly BacklogClaim[],
): Promise<{ claimed: number; exhausted: ReadonlySet<Backlog> }> {
  const counts = new Map<string, number>()
  const countClaimed = ({ backlog }: BacklogClaim) => counts.get(backlog.subscriptionId) ?? 0
  let claimed: ClaimedDelivery[] = []
  try {
    claimed = [...(await claimFromBacklogs(db.crossTenant, claims))].sort((a, b) => (a.id < b.id ? -1 : 1))
    for (const { subscriptionId } of claimed) counts.set(subscriptionId, (counts.get(subscriptionId) ?? 0) + 1)
  } finally {
    for (const one of claims) limits.finish(one.backlog, one.capacity - countClaimed(one))
  }
  for (const delivery of claimed) workers.take(delivery, delivery)
  const exhausted = claims.filter((one) => countClaimed(one) < one.capacity).map(({ backlog }) => backlog)
  // Further deliveries need not wait behind an exhausted backlog, also while others enter it.
  for (const { subscriptionId } of exhausted) limits.clearBacklogged(subscriptionId)
  const closed = exhausted.length === 0 ? [] : await closeBacklogs(db.crossTenant, exhausted)
  if (claimed.length > 0 && closed.length < exhausted.length) limits.backlogSignal.wake()
  return { claimed: claimed.length, exhausted: new Set(exhausted) }
}
