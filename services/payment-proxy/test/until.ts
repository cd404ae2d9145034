import { setTimeout as pause } from 'node:timers/promises'

/** Waits until the condition holds. Rejects after the deadline. */
export async function until(isReached: () => Promise<boolean>, timeoutMs = 60_000): Promise<void> {
  const deadlineAt = Date.now() + timeoutMs
  while (!(await isReached())) {
    if (Date.now() > deadlineAt) throw new Error(`not reached within ${timeoutMs} ms`)
    await pause(20)
  }
}
