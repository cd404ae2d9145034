import { type Call, createCaller, onboard } from '../../tenant.ts'
import { buildGates } from '../runner/gates.ts'
import { type Ledger, openLedger } from '../runner/ledger.ts'
import { type Opening, openServers, openSite, type Site } from '../runner/site.ts'
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

export async function openWorld(opening: Opening): Promise<World> {
  const { closing } = opening
  const provider = await startMessageProvider()
  closing.push(provider.stop)
  const site = await openSite(opening, await openServers(opening), { without: ['audit'], env: provider.env })
  const { platform, databaseUrl } = site
  const codes = databaseUrl('invite-to-pay')
  await buildGates(databaseUrl('payment-proxy'), [
    'emitEvent',
    'startOperation',
    'executeOperation',
    'recordOutcome',
    'decideAtBank',
  ])
  await buildGates(codes, [
    'createCode',
    'claimCode',
    'recordConfirmation',
    'returnFromBank',
    'settleCode',
    'handOver',
    'emitEvent',
    'settleEvent',
  ])
  await buildGates(databaseUrl('communication'), ['queueMessage', 'recordSent'])
  await keepHistory(codes)
  const ledger = await openLedger([codes])
  const { api_key, tenant_id, business_unit_id: unit } = await onboard(platform, 'Acme')
  const call = createCaller(platform, api_key.value, tenant_id, callTimeoutMs)
  const subscription = await subscribe(call, unit)
  closing.push(subscription.stop)
  return { ...site, unit, call, provider, subscription, ledger }
}
