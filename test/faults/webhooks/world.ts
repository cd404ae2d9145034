import { contracts, type ServiceName } from '@payments/contracts/edges/contracts'
import { freePorts } from '@payments/devkit/machine/ports'
import { type DnsServer, dnsServer } from '@payments/testing/peers/dns-server'
import { type TcpProxy, tcpProxy } from '@payments/testing/peers/tcp-proxy'
import { type Call, createCaller, type Onboarded, onboard } from '../../tenant.ts'
import { buildGates } from '../runner/gates.ts'
import { type Ledger, openLedger } from '../runner/ledger.ts'
import { type Opening, openServers, openSite, type Site } from '../runner/site.ts'
import { type Endpoint, openEndpoint } from './endpoint.ts'

/** The platform for faults of webhooks, with RabbitMQ behind a proxy, two tenants and their endpoints. */
export interface World extends Site {
  /** The platform's connections to the broker. */
  readonly way: TcpProxy
  readonly dns: DnsServer
  readonly endpoint: Endpoint
  readonly ledger: Ledger
  readonly tenants: readonly [Tenant, Tenant]
}

export interface Tenant extends Onboarded {
  readonly call: Call
}

const producers = contracts
  .filter(({ events }) => Object.keys(events).length > 0)
  .map(({ service }) => service as ServiceName)

export const retrySchedule = '0s,300ms,600ms'

/** Deliveries to an endpoint that fails are dead within two seconds, until its breaker opens: then they are held. */
const environment = {
  WEBHOOKS_RETRY_SCHEDULE: retrySchedule,
  WEBHOOKS_BREAKER_ATTEMPTS_MIN: '240',
  WEBHOOKS_BREAKER_CONNECT_ERRORS: '240',
  WEBHOOKS_BREAKER_PROBE_AFTER_MS: '2000',
}

const callTimeoutMs = 8_000
/** The short form kills none of them, and nothing else here needs one. */
const unneeded = ['audit', 'communication', 'identity', 'invite-to-pay'] as const

export async function openWorld(opening: Opening): Promise<World> {
  const servers = await openServers(opening)
  const [port = 0] = await freePorts(1)
  const way = await tcpProxy(port, servers.amqpUrl)
  const dns = await dnsServer()
  const endpoint = await openEndpoint()
  opening.closing.push(way.cut, dns.close, endpoint.close)
  const env = { ...environment, WEBHOOKS_DNS_SERVERS: dns.address }
  const without = opening.isLong ? [] : unneeded
  const site = await openSite(opening, servers, { amqpUrl: way.url, env, without })
  const { platform, databaseUrl } = site
  const ledger = await openLedger(producers.map(databaseUrl))
  await buildGates(databaseUrl('webhooks'), ['recordAttempt'])
  await buildGates(databaseUrl('payment-proxy'), ['emitEvent', 'settleEvent'])
  const tenant = async (name: string) => {
    const made = await onboard(platform, name)
    return { ...made, call: createCaller(platform, made.api_key.value, made.tenant_id, callTimeoutMs) }
  }
  const tenants = [await tenant('Acme'), await tenant('Globex')] as const
  return { ...site, way, dns, endpoint, ledger, tenants }
}
