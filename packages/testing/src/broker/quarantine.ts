import type { QuarantineQueueName } from '@payments/contracts/endpoints/quarantine'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { Quarantine, type QuarantineOptions } from '@payments/messaging/quarantine/quarantine'
import { until } from '../services/until.ts'
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
  // Its connection is opened in the background.
  let cause: unknown
  const isReached = () =>
    quarantine.depth().then(
      () => true,
      (error: unknown) => {
        cause = error
        return false
      },
    )
  await until(isReached).catch(() => {
    throw new Error('the quarantine does not reach the broker', { cause })
  })
  return { quarantine, close: () => broker.discard({ queues: [name] }) }
}
