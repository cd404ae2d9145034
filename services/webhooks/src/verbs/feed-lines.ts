import { isOutage } from '@payments/messaging/outage'
import type { DispatcherDeps } from '../deps.ts'
import type { WorkItem } from '../domain/work-item.ts'
import { closeLines, type Feed, type Line, listLines, takeFromLines } from '../store/line.ts'

/**
 * One turn of the feeder: sends workers to the deliveries that stand in lines, of each destination the oldest first, as many as its
 * window and its tenant's have room for. So a backlog of any length moves as fast as its receiver answers, and what others have to
 * wait for behind it in the broker is one window at the most.
 *
 * The line of a disabled subscription rests; that of an open breaker too, but for one delivery when its time has come, which shows
 * whether the receiver is back. What is lost between the row and the broker, the sweeper makes good.
 * Looks at a page of lines, those after `after`, and returns after which to go on; null is the beginning.
 */
export async function feedLines(
  deps: Pick<DispatcherDeps, 'db' | 'queues' | 'egress' | 'log'>,
  after: string | null,
): Promise<string | null> {
  const { traffic } = deps.egress
  const probeMs = traffic.breaker.probeAfterMs
  const lines = await listLines(deps.db.sql, { after, limit: linesMax, probeMs })
  for (const line of lines) traffic.lined(line)
  const feeds = shareOut(lines, (line, wanted) => traffic.reserveFromLine(line, wanted))
  if (feeds.length > 0) await feed(deps, feeds)
  return lines.length < linesMax ? null : (lines.at(-1)?.subscriptionId ?? null)
}

const linesMax = 1_000
const rowsMax = 1_000
const perLineMax = 100
const sweepAfterMs = 30_000

/** Begins anywhere, since who comes first has the tenant's window to itself. A probe needs no room: there is nothing else. */
function shareOut(lines: readonly Line[], reserve: (line: Line, wanted: number) => number): Feed[] {
  const start = Math.floor(Math.random() * lines.length)
  const feeds: Feed[] = []
  let rows = 0
  for (const line of [...lines.slice(start), ...lines.slice(0, start)]) {
    const room = line.probe ? 1 : reserve(line, Math.min(perLineMax, rowsMax - rows))
    if (room > 0) feeds.push({ line, room })
    rows += room
    if (rows >= rowsMax) break
  }
  return feeds
}

async function feed(
  { db, queues, egress, log }: Pick<DispatcherDeps, 'db' | 'queues' | 'egress' | 'log'>,
  feeds: readonly Feed[],
): Promise<void> {
  const { traffic } = egress
  let taken: WorkItem[] = []
  const counts = new Map<string, number>()
  const countOf = ({ line }: Feed) => counts.get(line.subscriptionId) ?? 0
  try {
    taken = [...(await takeFromLines(db.sql, feeds, sweepAfterMs))].sort((a, b) => (a.id < b.id ? -1 : 1))
    for (const { subscriptionId } of taken) counts.set(subscriptionId, (counts.get(subscriptionId) ?? 0) + 1)
  } finally {
    for (const given of feeds) if (!given.line.probe) traffic.release(given.line, given.room - countOf(given))
  }
  const results = await Promise.allSettled(taken.map((work) => queues.enqueue(work, 0)))
  const failed = results.find((result) => result.status === 'rejected')
  if (failed !== undefined) {
    if (!isOutage(failed.reason)) throw failed.reason
    log.warn({ err: failed.reason }, 'the broker did not take what was in line; the sweeper will see to it')
  }
  const ended = feeds.filter((given) => countOf(given) < given.room)
  if (ended.length === 0) return
  const closed = await closeLines(
    db.sql,
    ended.map(({ line }) => line),
  )
  for (const id of closed) traffic.unlined(id)
}
