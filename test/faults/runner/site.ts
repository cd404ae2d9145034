import { type Service, toAdminUrl } from '@payments/devkit/servers/databases'
import { testAddress } from '@payments/devkit/tests/test-address'
import { startTestStack, type TestOptions, type TestStack } from '@payments/testing/platform/local-stack'
import { type PrivateServers, privateServers, type TestServers } from '@payments/testing/platform/servers'

/** How a scenario starts. */
export interface Opening {
  /** Every fault, on its own servers; otherwise the short form, on the servers of all tests. */
  readonly isLong: boolean
  /** Called at the end, the last first, also when the start fails. */
  readonly closing: (() => Promise<unknown>)[]
}

/** PostgreSQL and RabbitMQ for faults. */
export interface Servers extends TestServers {
  /** The same, where they may be killed. Undefined in the short form, and where this machine lacks the programs. */
  readonly killable: PrivateServers | undefined
}

/** The platform for faults: its servers and its processes. */
export interface Site {
  readonly servers: Servers
  readonly platform: TestStack
  /** Of a service's database, as an administrator: past row-level security. */
  readonly databaseUrl: (service: Service) => string
  /** Reasons of processes that ended by themselves. */
  readonly deaths: string[]
}

export async function openServers({ isLong, closing }: Opening): Promise<Servers> {
  const killable = isLong ? await privateServers() : undefined
  closing.push(async () => killable?.stop())
  const { databaseUrl, amqpUrl } = killable ?? {
    databaseUrl: testAddress('TEST_DATABASE_URL'),
    amqpUrl: testAddress('TEST_AMQP_URL'),
  }
  return { databaseUrl, amqpUrl, killable }
}

export async function openSite({ closing }: Opening, servers: Servers, options: TestOptions): Promise<Site> {
  const platform = await startTestStack({ servers, ...options })
  closing.push(platform.stop)
  const deaths: string[] = []
  platform.died.catch((reason: unknown) => deaths.push(String(reason)))
  const databaseUrl = (service: Service) =>
    toAdminUrl(servers.databaseUrl, new URL(platform.databases[service].url).pathname.slice(1))
  return { servers, platform, databaseUrl, deaths }
}
