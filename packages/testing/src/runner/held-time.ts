/**
 * The time for which one turn of the event loop held the thread of this process, in CPU time: other processes of a busy
 * machine do not count. A timer reads the clock each millisecond, and the longest step between two readings is the
 * result. Not measured: other threads.
 */
export async function longestHoldMs(work: () => Promise<unknown>): Promise<number> {
  let longestMs = 0
  let before = threadMs()
  const read = () => {
    const now = threadMs()
    longestMs = Math.max(longestMs, now - before)
    before = now
  }
  const timer = setInterval(read, 1)
  try {
    await work()
  } finally {
    read()
    clearInterval(timer)
  }
  return longestMs
}

/** Of one turn of the event loop, on an idle machine. */
const holdMsMax = 20
/** The first ones run code that is not compiled yet. */
const attemptsMax = 16

/**
 * Those of the works that hold the event loop for more than 20 ms on an idle machine, each with its time. A work is
 * repeated while it holds the loop for too long: the shortest of its holds counts.
 */
export async function slowWorks(works: Iterable<readonly [string, () => Promise<unknown>]>): Promise<string[]> {
  const slow: string[] = []
  for (const [what, work] of works) {
    let shortestMs = Number.POSITIVE_INFINITY
    let limitMs = holdMsMax
    for (let attempt = 0; attempt < attemptsMax && shortestMs > limitMs; attempt += 1) {
      const heldMs = await longestHoldMs(work)
      if (heldMs > holdMsMax) limitMs = holdMsMax * slowness()
      shortestMs = Math.min(shortestMs, heldMs)
    }
    if (shortestMs > limitMs) slow.push(`${what}: ${Math.round(shortestMs)} ms of ${Math.round(limitMs)}`)
  }
  return slow
}

/**
 * How much longer than on an idle machine a loop over text takes in CPU time: memory and cores are shared. At least 1.
 */
export function slowness(): number {
  let bestMs = Number.POSITIVE_INFINITY
  for (let run = 0; run < runs; run += 1) {
    const before = threadMs()
    for (let at = 0; at < referenceText.length; at += 1) sum += referenceText.charCodeAt(at)
    bestMs = Math.min(bestMs, threadMs() - before)
  }
  return Math.max(1, bestMs / idleMs)
}

const runs = 5
const referenceText = 'reference '.repeat(200_000)
/** Of the reference on an idle core of 2020. */
const idleMs = 3
let sum = 0

function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
