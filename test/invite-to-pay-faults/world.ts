import { buildGates } from '../faults/gates.ts'
import { type Ledger, openLedger } from '../faults/ledger.ts'
import { openSite, type Site } from '../faults/site.ts'
import { type Call, callerOf, onboard } from '../tenant.ts'
import { keepHistory } from './history.ts'
import { type MessageProvider, startMessageProvider } from './message-provider.ts'
import { type Subscription, subscribe } from './subscription.ts'

/** The platform for faults of invitations, and a tenant that invites payers by email (outbox) and SMS (a provider). */
export interface World extends Site {
  readonly unit: string
  readonly call: Call
  readonly provider: MessageProvider
  readonly subscription: Subscription
  /** The events that invite-to-pay committed. */
  readonly ledger: Ledger
}

const callTimeoutMs = 20_000

export async function openWorld(mayKill: boolean): Promise<World> {
  const provider = await startMessageProvider()
  const closing = [provider.stop]
  const stop = async () => {
    for (const close of closing.splice(0).reverse()) await close()
  }
  try {
    const site = await openSite(mayKill, { without: ['audit'], env: provider.env })
    closing.push(site.stop)
    const { platform, databaseOf } = site
    const codes = databaseOf('invite-to-pay')
    await buildGates(databaseOf('payment-proxy'), ['emitEvent', 'startOperation', 'executeOperation', 'recordOutcome'])
    await buildGates(codes, ['createCode', 'claimCode', 'settleCode', 'handOver', 'emitEvent', 'settleEvent'])
    await buildGates(databaseOf('communication'), ['queueMessage', 'recordSent'])
    await keepHistory(codes)
    const ledger = await openLedger([codes])
    const { api_key, tenant_id, business_unit_id: unit } = await onboard(platform, 'Acme')
    const call = callerOf(platform, api_key.value, tenant_id, callTimeoutMs)
    const subscription = await subscribe(call, unit)
    closing.push(subscription.stop)
    return { ...site, unit, call, provider, subscription, ledger, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
