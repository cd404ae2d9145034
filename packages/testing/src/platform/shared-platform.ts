/**
 * **What it does.** One platform for all test files that import this module: the runner starts it before the first of
 * them, passes it to the workers in a variable, and stops it after the last.
 *
 * **Guarantees.** It ends with jest, also when jest is killed (process-group.ts).
 *
 * **Not guaranteed.** To be alone: files of other workers use it at the same time, in a random order. So a test has
 * its own tenants, people, addresses and keys, expects nothing of lists and queues of the whole platform, and
 * neither stops nor configures a process; a second replica is a process of the test (`replicasBeside`). Only
 * test/payctl.test.ts has messages quarantined.
 */
import { dirname } from 'node:path'
import { edgeKey, loadSecrets } from '@payments/devkit/machine/secrets'
import { payctl } from '@payments/devkit/platform/demo'
import { processNames } from '@payments/devkit/platform/process-plan'
import { type Platform, startTestStack } from './local-stack.ts'

const variable = 'TEST_PLATFORM'

type Data = Omit<Platform, 'payctl' | 'edgeKey'>

export function sharedPlatform(): Platform {
  const given = process.env[variable]
  if (given === undefined) throw new Error(`${variable} is not set: the runner could not start the platform`)
  const data = JSON.parse(given) as Data
  return {
    ...data,
    payctl: (...args) => payctl(args, data.payctlEnv),
    edgeKey: (issuer, audience) => edgeKey(loadSecrets(dirname(data.logDirectory)), issuer, audience),
  }
}

export interface SharedPlatformOwner {
  readonly pids: readonly number[]
  readonly stop: () => Promise<void>
}

/** For the runner, before it starts the workers. */
export async function startSharedPlatform(): Promise<SharedPlatformOwner> {
  const stack = await startTestStack({ env: { WEBHOOKS_RETRY_SCHEDULE: '0s,200ms,400ms' } })
  const { gatewayUrl, ports, databases, amqpUrl, messagingPrefix, logDirectory, payctlEnv } = stack
  const data: Data = { gatewayUrl, ports, databases, amqpUrl, messagingPrefix, logDirectory, payctlEnv }
  process.env[variable] = JSON.stringify(data)
  return {
    pids: processNames.map(stack.pid),
    stop: async () => {
      delete process.env[variable]
      await stack.stop()
    },
  }
}
