/** Faults during revocations: processes that stand still for a moment, and a slow network to the sources. */
import { createServer, connect as dial, type Server, type Socket } from 'node:net'
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

export interface SlowWay {
  readonly url: string
  close(): Promise<void>
}

/** A TCP proxy that delivers each byte `delayMs` later, in both directions. */
export async function slowWay(to: string, delayMs: number): Promise<SlowWay> {
  const { hostname, port } = new URL(to)
  const sockets = new Set<Socket>()
  const server: Server = createServer((client) => {
    const service = dial(Number(port), hostname)
    for (const [from, other] of [
      [client, service],
      [service, client],
    ] as const) {
      sockets.add(from)
      from.setNoDelay(true)
      from.on('data', (bytes) => setTimeout(() => other.write(bytes), delayMs))
      from.on('error', () => from.destroy())
      from.on('close', () => {
        sockets.delete(from)
        setTimeout(() => other.destroy(), delayMs)
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
