import { createServer, connect as dial, type Server, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { until } from '../until.ts'

/** A process that serves. `readyUrl` reports whether the process takes requests. */
export interface Backend {
  readonly port: number
  readonly readyUrl: string
}

export interface Balancer {
  readonly port: number
  /** Adds a process. Resolves when the process is ready: it gets connections from then on. */
  readonly add: (backend: Backend) => Promise<void>
  /** Removes a process. Resolves when the process gets no further connection. */
  readonly removed: (backend: Backend) => Promise<void>
  readonly close: () => Promise<void>
}

const probeEveryMs = 100
const probeTimeoutMs = 5_000
const readyTimeoutMs = 180_000

/**
 * **What it does.** Balances connections over the processes of one service, as a Service of Kubernetes does: it knows
 * connections, not requests.
 *
 * **Participants.** The readiness probe, which reads `/readyz` of each process; clients; the processes.
 *
 * **Guarantees.** A connection goes to one ready process, in rotation. A process that is not ready keeps its
 * connections and gets no further one. Without a ready process a connection is reset.
 *
 * **Not guaranteed.** A second attempt: a connection that the process rejects is reset. A probe without a response
 * changes nothing.
 */
export async function openBalancer(port: number): Promise<Balancer> {
  const backends = new Map<Backend, { isReady: boolean }>()
  const sockets = new Set<Socket>()
  let rotation = 0
  let isOpen = true
  const track = (socket: Socket) => {
    sockets.add(socket)
    socket.setNoDelay(true).on('close', () => sockets.delete(socket))
  }
  const server: Server = createServer({ allowHalfOpen: true }, (client) => {
    track(client)
    const ready = [...backends].filter(([, { isReady }]) => isReady)
    const [backend] = ready[rotation++ % ready.length] ?? []
    if (backend === undefined) return void client.on('error', () => {}).resetAndDestroy()
    const upstream = dial({ port: backend.port, host: '127.0.0.1', allowHalfOpen: true })
    track(upstream)
    join(client, upstream)
  })
  const probing = (async () => {
    while (isOpen) {
      await Promise.all([...backends].map(([backend, state]) => probe(backend.readyUrl, state)))
      await delay(probeEveryMs)
    }
  })()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    port,
    async add(backend) {
      const state = { isReady: false }
      backends.set(backend, state)
      await until(`readiness at ${backend.readyUrl}`, () => state.isReady, readyTimeoutMs)
    },
    async removed(backend) {
      await until(`drain at ${backend.readyUrl}`, () => backends.get(backend)?.isReady === false, readyTimeoutMs)
      backends.delete(backend)
    },
    async close() {
      isOpen = false
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await Promise.all([closed, probing])
    },
  }
}

/** Passes bytes, ends and resets of each side to the other. */
function join(client: Socket, upstream: Socket): void {
  client.pipe(upstream).pipe(client)
  for (const [one, other] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    one.on('error', () => other.resetAndDestroy())
    one.on('close', () => other.destroySoon())
  }
}

async function probe(url: string, state: { isReady: boolean }): Promise<void> {
  try {
    const signal = AbortSignal.timeout(probeTimeoutMs)
    const response = await fetch(url, { signal, headers: { connection: 'close' } })
    await response.arrayBuffer()
    state.isReady = response.ok
  } catch (error) {
    if ((error as Error).name !== 'TimeoutError') state.isReady = false
  }
}
