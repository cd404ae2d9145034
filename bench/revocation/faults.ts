/** Faults during revocations: processes that stand still for a moment, and a slow network to the sources. */
import { type AddressInfo, createServer, connect as dial } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** Up to four leases, so that some pauses end within a lease and some after it. */
const pauseMsMax = 400
const betweenMs = 100

/** Pauses the processes in turn, one at a time, while `work` runs. */
export async function withPauses<T>(pids: readonly number[], work: () => Promise<T>): Promise<T> {
  let isOver = false
  const pausing = (async () => {
    for (let turn = 0; !isOver; turn += 1) {
      const pid = pids[turn % pids.length] ?? process.pid
      process.kill(pid, 'SIGSTOP')
      try {
        await delay(pauseMsMax * Math.random())
      } finally {
        process.kill(pid, 'SIGCONT')
      }
      await delay(betweenMs)
    }
  })()
  try {
    return await work()
  } finally {
    isOver = true
    await pausing
  }
}

/** Starts a TCP proxy that delivers each byte `delayMs` later, in both directions. Returns its URL. */
export async function slowWay(port: number, delayMs: number): Promise<string> {
  const server = createServer((client) => {
    const service = dial(port, '127.0.0.1')
    for (const [from, to] of [
      [client, service],
      [service, client],
    ] as const) {
      from.setNoDelay(true)
      from.on('data', (bytes) => setTimeout(() => to.write(bytes), delayMs))
      from.on('error', () => from.destroy())
      from.on('close', () => setTimeout(() => to.destroy(), delayMs))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
