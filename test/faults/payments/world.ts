import { type Call, createCaller, onboard } from '../../tenant.ts'
import { buildGates } from '../runner/gates.ts'
import { type Opening, openServers, openSite, type Site } from '../runner/site.ts'
import { type ReportingProvider, startReportingProvider } from './provider.ts'

/** The platform for faults of payments, and a tenant that pays through the sandbox. */
export interface World extends Site {
  /** The database of payment-proxy with the role that owns its tables. */
  readonly booksUrl: string
  readonly unit: string
  /** A payment provider besides the sandbox. */
  readonly provider: ReportingProvider
  readonly call: Call
}

const callTimeoutMs = 20_000
const without = ['webhooks', 'webhooks-dispatcher', 'audit', 'communication', 'identity', 'invite-to-pay'] as const
const env = { UNVERIFIED_REQUESTS_PER_MINUTE: '100000' }

export async function openWorld(opening: Opening): Promise<World> {
  const site = await openSite(opening, await openServers(opening), { without, env })
  const { platform, databaseUrl } = site
  await buildGates(databaseUrl('payment-proxy'), ['executeOperation', 'recordOutcome', 'decideAtBank'])
  const { api_key, tenant_id, business_unit_id: unit } = await onboard(platform, 'Acme')
  const call = createCaller(platform, api_key.value, tenant_id, callTimeoutMs)
  const provider = await startReportingProvider({ gatewayUrl: platform.gatewayUrl, unit, call })
  opening.closing.push(provider.stop)
  return { ...site, booksUrl: platform.databases['payment-proxy'].ownerUrl, unit, provider, call }
}
