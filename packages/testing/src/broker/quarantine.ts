import { setTimeout as delay } from 'node:timers/promises'
import type { QuarantineQueueName } from '@payments/contracts/endpoints/quarantine'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { Quarantine, type QuarantineOptions } from '@payments/messaging/quarantine/quarantine'
import { testBroker } from './test-broker.ts'

/** The quarantine of a service whose test has no broker: each call rejects, as while the broker cannot be reached. */
export function quarantineWithoutBroker(name: QuarantineQueueName) {
  const reject = () => Promise.reject(new Problem(commonProblems.service_unavailable))
  return { name, depth: reject, peek: reject, redrive: reject, discard: reject }
}

/** The quarantine of a service, on a private part of the broker. Resolves when it reaches the broker. */
export async function testQuarantine(
  name: QuarantineQueueName,
  origins: QuarantineOptions['origins'],
): Promise<{ readonly quarantine: Quarantine; close(): Promise<void> }> {
  const broker = await testBroker()
  const quarantine = new Quarantine({ broker, name, origins })
  await reachable(quarantine)
  return { quarantine, close: () => broker.discard({ queues: [name] }) }
}

const connectTimeoutMs = 60_000

/** Resolves when the quarantine reaches the broker: its connection is opened in the background. */
async function reachable(quarantine: { depth(): Promise<number> }): Promise<void> {
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
