import { Worker } from 'node:worker_threads'

/**
 * Puts an HTTP server under pressure over raw sockets, from its own thread, so that this work does not affect the
 * measured latencies. Connections and time are limited.
 */
export interface Pressure {
  readonly port: number
  /** Local addresses that the connections use in rotation. On Linux all of 127.0.0.0/8 are available. */
  readonly addresses: readonly string[]
  /** Open at once, at most. */
  readonly connections: number
  readonly connectionsPerSecond: number
  /** Written when a connection is open. `{n}` becomes a number that is different each time. */
  readonly opening: string
  /** Written again and again afterwards. */
  readonly repeated?: { readonly text: string; readonly everyMs: number }
  readonly reads: 'all' | 'nothing' | 'slowly'
  readonly seconds: number
}

export interface PressureCounts {
  readonly opened: number
  /** By the server, before the end. */
  readonly closed: number
  readonly written: number
  readonly receivedBytes: number
  /** Responses by status, as far as they were read. */
  readonly statuses: Readonly<Record<string, number>>
}

/** Resolves when it is over, with all connections closed. */
export function press(pressure: Pressure): Promise<PressureCounts> {
  const worker = new Worker(new URL('../../dist/platform/pressure-worker.js', import.meta.url), {
    workerData: pressure,
  })
  return new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', (code) => reject(new Error(`the pressure ended with ${code}`)))
  })
}
