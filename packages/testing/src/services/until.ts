import { setTimeout as delay } from 'node:timers/promises'

const pollMs = 20

/** Waits until the condition holds. Rejects after the deadline. */
export async function until(condition: () => Promise<boolean> | boolean, timeoutMs = 60_000): Promise<void> {
  const deadlineAt = Date.now() + timeoutMs
  while (!(await condition())) {
    if (Date.now() > deadlineAt) throw new Error(`not within ${timeoutMs} ms: ${condition.toString()}`)
    await delay(pollMs)
  }
}
