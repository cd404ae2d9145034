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
