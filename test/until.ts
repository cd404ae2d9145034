import { setTimeout as delay } from 'node:timers/promises'

/** Waits for a condition that must come true. Throws at the deadline. */
export async function until(what: string, condition: () => Promise<boolean> | boolean, timeoutMs = 30_000) {
  const deadline = Date.now() + timeoutMs
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`within ${timeoutMs} ms there was no ${what}`)
    await delay(20)
  }
}
