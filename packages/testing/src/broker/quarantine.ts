import { setTimeout as delay } from 'node:timers/promises'
import type { QuarantineQueueName } from '@payments/contracts/endpoints/quarantine'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'

/** The quarantine of a service whose test has no broker: each call rejects, as while the broker cannot be reached. */
export function quarantineWithoutBroker(name: QuarantineQueueName) {
  const reject = () => Promise.reject(new Problem(commonProblems.service_unavailable))
  return { name, depth: reject, peek: reject, redrive: reject, discard: reject }
}

const connectTimeoutMs = 60_000

/** Resolves when the quarantine reaches the broker: its connection is opened in the background. */
export async function reachable(quarantine: { depth(): Promise<number> }): Promise<void> {
  const deadlineAt = Date.now() + connectTimeoutMs
  for (;;) {
    try {
      await quarantine.depth()
      return
    } catch (error) {
      if (Date.now() > deadlineAt) throw error
      await delay(10)
    }
  }
}
