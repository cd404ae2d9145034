import { buildGates } from '../faults/gates.ts'
import { openSite, type Site } from '../faults/site.ts'
import { type Call, callerOf, onboard } from '../tenant.ts'
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
const without = ['webhooks', 'webhooks-dispatcher', 'audit'] as const

export async function openWorld(mayKill: boolean): Promise<World> {
  const site = await openSite(mayKill, { without, env: { UNVERIFIED_REQUESTS_PER_MINUTE: '100000' } })
  const { platform, databaseOf } = site
  try {
    await buildGates(databaseOf('payment-proxy'), ['executeOperation', 'recordOutcome'])
    const tenant = await onboard(platform, 'Acme')
    const unit = tenant.business_unit_id
    const call = callerOf(platform, tenant.api_key.value, tenant.tenant_id, callTimeoutMs)
    const provider = await startReportingProvider({ gatewayUrl: platform.gatewayUrl, unit, call })
    const stop = async () => {
      await provider.stop()
      await site.stop()
    }
    return { ...site, booksUrl: platform.databases['payment-proxy'].ownerUrl, unit, provider, call, stop }
  } catch (error) {
    await site.stop()
    throw error
  }
}
