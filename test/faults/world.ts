import { freePorts } from '@payments/devkit/machine/ports'
import { adminUrlOf, type Service } from '@payments/devkit/servers/databases'
import { testAddress } from '@payments/devkit/tests/test-address'
import { type DnsServer, dnsServer } from '@payments/testing/peers/dns-server'
import { type TcpProxy, tcpProxy } from '@payments/testing/peers/tcp-proxy'
import { startTestStack, type TestStack } from '@payments/testing/platform/local-stack'
import { type PrivateServers, privateServers, type TestServers } from '@payments/testing/platform/servers'
import { type Call, callerOf, type Onboarded, onboard } from '../tenant.ts'
import { type Endpoint, openEndpoint } from './endpoint.ts'
import { buildGates } from './gates.ts'
import { type Ledger, openLedger } from './ledger.ts'

/** The platform for faults: its processes, PostgreSQL, RabbitMQ behind a proxy, two tenants and their endpoints. */
export interface World {
  readonly platform: TestStack
  readonly servers: TestServers
  /** The same, where they may be killed. Undefined where they are those of all tests. */
  readonly killable: PrivateServers | undefined
  readonly way: TcpProxy
  readonly dns: DnsServer
  readonly endpoint: Endpoint
  readonly ledger: Ledger
  /** Of a service's database, as an administrator: past row-level security. */
  readonly databaseOf: (service: Service) => string
  readonly tenants: readonly Tenant[]
  /** Reasons of processes that ended by themselves. */
  readonly deaths: string[]
  readonly stop: () => Promise<void>
}

export interface Tenant extends Onboarded {
  readonly call: Call
}

const outboxes = ['payment-proxy', 'business-unit', 'communication', 'api-key', 'rbac', 'webhooks'] as const

export const retrySchedule = '0s,300ms,600ms'

/** Deliveries to an endpoint that fails are dead within two seconds, until its breaker opens: then they are held. */
const environment = {
  WEBHOOKS_RETRY_SCHEDULE: retrySchedule,
  WEBHOOKS_BREAKER_ATTEMPTS_MIN: '240',
  WEBHOOKS_BREAKER_CONNECT_ERRORS: '240',
  WEBHOOKS_BREAKER_PROBE_AFTER_MS: '2000',
}

/** `mayKill`: on servers of its own, where this machine has the programs; they take a while to start. */
export async function openWorld(mayKill: boolean): Promise<World> {
  const killable = mayKill ? await privateServers() : undefined
  const servers = killable ?? {
    databaseUrl: testAddress('TEST_DATABASE_URL'),
    amqpUrl: testAddress('TEST_AMQP_URL'),
  }
  const closing: (() => Promise<void>)[] = [async () => killable?.stop()]
  const stop = async () => {
    for (const close of closing.splice(0).reverse()) await close()
  }
  try {
    const [port = 0] = await freePorts(1)
    const way = await tcpProxy(port, servers.amqpUrl)
    closing.push(() => way.cut())
    const dns = await dnsServer()
    closing.push(dns.close)
    const endpoint = await openEndpoint()
    closing.push(endpoint.close)
    const env = { ...environment, WEBHOOKS_DNS_SERVERS: dns.address }
    // The short form kills no audit service, and nothing else here needs one.
    const without = mayKill ? [] : (['audit'] as const)
    const platform = await startTestStack({ servers, amqpUrl: way.url, env, without })
    closing.push(platform.stop)
    const deaths: string[] = []
    platform.died.catch((reason: unknown) => deaths.push(String(reason)))
    const databaseOf = (service: Service) =>
      adminUrlOf(servers.databaseUrl, new URL(platform.databases[service].url).pathname.slice(1))
    const ledger = await openLedger(outboxes.map(databaseOf))
    await buildGates(databaseOf('webhooks'), ['recordAttempt'])
    await buildGates(databaseOf('payment-proxy'), ['emitEvent', 'settleEvent'])
    const tenants: Tenant[] = []
    for (const name of ['Acme', 'Globex']) {
      const made = await onboard(platform, name)
      tenants.push({ ...made, call: callerOf(platform, made.api_key.value, made.tenant_id, 8_000) })
    }
    return { platform, servers, killable, way, dns, endpoint, ledger, databaseOf, tenants, deaths, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
