import { setTimeout as delay } from 'node:timers/promises'
import { until } from '../../until.ts'

/** Clients that work at the same time until `stop`. */
export interface Load {
  readonly start: () => void
  /** Resolves when `count` more works have ended. */
  readonly ended: (count: number) => Promise<void>
  /** Ends the load. Throws when a response broke a promise. */
  readonly stop: () => Promise<void>
}

const endedTimeoutMs = 180_000

/**
 * `work` gets its own number, from 1, and throws when a response breaks a promise. A work that returns false is
 * not counted. Each client pauses between two works.
 */
export function createLoad(
  work: (number: number) => Promise<unknown>,
  { clients = 6, pauseMs = 10 }: { readonly clients?: number; readonly pauseMs?: number } = {},
): Load {
  const broken: unknown[] = []
  let running = false
  let started = 0
  let ends = 0
  let working: Promise<void>[] = []
  const client = async () => {
    while (running) {
      started += 1
      const result = await work(started).catch((error: unknown) => broken.push(error))
      if (result !== false) ends += 1
      await delay(pauseMs)
    }
  }
  return {
    start() {
      running = true
      working = Array.from({ length: clients }, client)
    },
    async ended(count) {
      const goal = ends + count
      await until(`${count} works of clients ended`, () => ends >= goal, endedTimeoutMs)
    },
    async stop() {
      running = false
      await Promise.all(working.splice(0))
      if (broken.length > 0) throw new AggregateError(broken, String(broken[0]))
    },
  }
}
