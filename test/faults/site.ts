import { adminUrlOf, type Service } from '@payments/devkit/servers/databases'
import { testAddress } from '@payments/devkit/tests/test-address'
import { startTestStack, type TestOptions, type TestStack } from '@payments/testing/platform/local-stack'
import { type PrivateServers, privateServers } from '@payments/testing/platform/servers'

/** The platform for faults: its processes and its servers. */
export interface Site {
  readonly platform: TestStack
  /** Servers that may be killed. Undefined where they are those of all tests. */
  readonly killable: PrivateServers | undefined
  /** Of a service's database, as an administrator: past row-level security. */
  readonly databaseOf: (service: Service) => string
  /** Reasons of processes that ended by themselves. */
  readonly deaths: string[]
  readonly stop: () => Promise<void>
}

/** `mayKill`: on servers of its own, where this machine has the programs. */
export async function openSite(mayKill: boolean, options: Pick<TestOptions, 'env' | 'without'>): Promise<Site> {
  const killable = mayKill ? await privateServers() : undefined
  const servers = killable ?? {
    databaseUrl: testAddress('TEST_DATABASE_URL'),
    amqpUrl: testAddress('TEST_AMQP_URL'),
  }
  try {
    const platform = await startTestStack({ servers, ...options })
    const deaths: string[] = []
    platform.died.catch((reason: unknown) => deaths.push(String(reason)))
    return {
      platform,
      killable,
      databaseOf: (service) =>
        adminUrlOf(servers.databaseUrl, new URL(platform.databases[service].url).pathname.slice(1)),
      deaths,
      stop: async () => {
        await platform.stop()
        await killable?.stop()
      },
    }
  } catch (error) {
    await killable?.stop()
    throw error
  }
}
