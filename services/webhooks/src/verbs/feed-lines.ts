import type { FinderDeps } from '../deps.ts'
import { leaseMs } from '../domain/lease.ts'
import { closeLines, type Feed, type Line, listLines, type Taken, takeFromLines } from '../store/line.ts'

/**
 * One turn of the feeder: takes the deliveries that stand in lines to work on them here, of each destination the oldest first, as
 * many as its window and its tenant's have room for, and this process has workers free. So a backlog of any length moves as fast as
 * its receiver answers, several dispatchers share it, and others wait for one window of it at the most.
 *
 * The line of a disabled subscription rests; that of an open breaker too, but for one delivery when its time has come, which shows
 * whether the receiver is back. What is taken by a process that dies, the sweeper
 * puts back.
 * Looks at a page of lines, those after `after`, and returns after which to go on; null is the beginning.
 */
export async function feedLines(
  deps: Pick<FinderDeps, 'db' | 'egress' | 'workers'>,
  after: string | null,
): Promise<string | null> {
  const { traffic } = deps.egress
  let free = deps.workers.free()
  if (free === 0) return after
  const probeMs = traffic.breaker.probeAfterMs
  const lines = await listLines(deps.db.sql, { after, limit: linesMax, probeMs })
  for (const line of lines) traffic.lined(line)
  let moving: readonly Line[] = lines
  while (free > 0) {
    const feeds = shareOut(moving, Math.min(free, rowsMax), (line, wanted) => traffic.reserveFromLine(line, wanted))
    if (feeds.length === 0) break
    const { taken, ended } = await feed(deps, feeds)
    free -= Math.max(taken, 1)
    // One probe is enough.
    moving = moving.filter((line) => !line.probe && !ended.has(line))
  }
  return lines.length < linesMax ? null : (lines.at(-1)?.subscriptionId ?? null)
}

const linesMax = 1_000
/** Of one statement, which brings their bodies along. */
const rowsMax = 100
const perLineMax = 100

/** Begins anywhere, since who comes first has the tenant's window to itself. A probe needs no room: there is nothing else. */
function shareOut(lines: readonly Line[], rowsMax: number, reserve: (line: Line, wanted: number) => number): Feed[] {
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

/** Returns how many were taken, and which lines have ended. */
async function feed(
  { db, egress, workers }: Pick<FinderDeps, 'db' | 'egress' | 'workers'>,
  feeds: readonly Feed[],
): Promise<{ taken: number; ended: ReadonlySet<Line> }> {
  const { traffic } = egress
  const counts = new Map<string, number>()
  const countOf = ({ line }: Feed) => counts.get(line.subscriptionId) ?? 0
  let taken: Taken[] = []
  try {
    taken = [...(await takeFromLines(db.sql, feeds, leaseMs))].sort((a, b) => (a.id < b.id ? -1 : 1))
    for (const { subscriptionId } of taken) counts.set(subscriptionId, (counts.get(subscriptionId) ?? 0) + 1)
  } finally {
    for (const given of feeds) if (!given.line.probe) traffic.release(given.line, given.room - countOf(given))
  }
  for (const work of taken) workers.take(work, work)
  const ended = feeds.filter((given) => countOf(given) < given.room).map(({ line }) => line)
  const closed = ended.length === 0 ? [] : await closeLines(db.sql, ended)
  for (const id of closed) traffic.unlined(id)
  return { taken: taken.length, ended: new Set(ended) }
}
