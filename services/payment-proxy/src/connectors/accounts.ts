import { hash } from 'node:crypto'
import { bytesOfTexts, createSizedCache } from '@payments/chassis/base/sized-cache'
import type { Client } from '@payments/chassis/client/client'
import type { businessUnitContract, PaymentOrchestrator } from '@payments/contracts/services/business-unit/contract'
import { nameAccount } from '../domain/payment-orchestrator.ts'
import type { Account } from './connector.ts'

/** The payment orchestrators of business units, with their credentials. */
export interface Accounts {
  /**
   * Reads the unit unless its payment orchestrator is given. Throws when the unit has no such payment orchestrator, and
   * while its credentials cannot be read.
   */
  find(owner: AccountOwner, orchestrator: PaymentOrchestrator | null): Promise<Account>
}

export interface AccountOwner {
  readonly tenantId: string
  readonly businessUnitId: string
  readonly paymentOrchestratorId: string
  readonly traceId: string
}

export interface AccountsOptions {
  readonly units: {
    find(
      context: { tenantId: string; traceId: string },
      businessUnitId: string,
    ): Promise<{ readonly paymentOrchestrators: readonly PaymentOrchestrator[] }>
  }
  readonly client: Pick<Client<typeof businessUnitContract, 'payment-proxy'>, 'readGatewayAuthentication'>
}

const credentialsMax = 1_000
const credentialBytesMax = 16 * 1024 * 1024
const credentialsTtlMs = 5 * 60 * 1000

type Authentication = Pick<Account, 'credentials' | 'gatewayUrl' | 'name'>

interface CachedRead {
  readonly tenantId: string
  readonly found: Authentication
  /** By `performance.now()`. */
  readonly usableUntil: number
}

/**
 * **What it does.** Finds the account of a payment orchestrator: the record in the copy of its business unit, and its
 * credentials from business-unit.
 *
 * **Guarantees.** Inactive and deleted payment orchestrators have an account, for captures, voids and refunds. The
 * cache key contains the fingerprint of the credentials and the URL of the copy: changed ones are read at once.
 * Credentials are never used with another URL than their own. Concurrent callers share one read. Not cached: a failed
 * read, and one that differs from the copy. The sandbox needs no call. A tenant has a quarter of the bytes.
 *
 * **Not guaranteed.** That changed credentials are used before the event of the change arrives.
 */
export function createAccounts({ units, client }: AccountsOptions): Accounts {
  const cache = createSizedCache<CachedRead>({
    entriesMax: credentialsMax,
    bytesMax: credentialBytesMax,
    measureBytes: ({ found }, key) =>
      bytesOfTexts(key, found.gatewayUrl ?? '', ...Object.entries(found.credentials).flat()),
    readTenantId: ({ tenantId }) => tenantId,
  })
  /** Reads in progress, by key of the cache. */
  const reads = new Map<string, Promise<Authentication>>()

  const readAuthentication = async (owner: AccountOwner, copy: PaymentOrchestrator, key: string) => {
    const { tenantId, traceId } = owner
    const usableUntil = performance.now() + credentialsTtlMs
    const params = { tenant_id: tenantId, payment_orchestrator_id: copy.id }
    const reply = await client.readGatewayAuthentication({ traceId }, { params })
    const { gateway_authentication: credentials, gateway_url: url, fingerprint } = reply
    const name = nameAccount({ gateway_url: url, gateway_authentication_fingerprint: fingerprint })
    const found = { credentials, gatewayUrl: url, name }
    if (name === nameAccount(copy)) cache.set(key, { tenantId, found, usableUntil })
    return found
  }

  const loadAuthentication = (owner: AccountOwner, copy: PaymentOrchestrator): Promise<Authentication> => {
    const key = hash('sha256', JSON.stringify([owner.tenantId, copy.id, nameAccount(copy)]), 'base64')
    const cached = cache.get(key)
    if (cached !== undefined && performance.now() < cached.usableUntil) return Promise.resolve(cached.found)
    cache.delete(key)
    const pending = reads.get(key)
    if (pending !== undefined) return pending
    const read = readAuthentication(owner, copy, key).finally(() => reads.delete(key))
    reads.set(key, read)
    return read
  }

  const requireOrchestrator = async (owner: AccountOwner): Promise<PaymentOrchestrator> => {
    const { businessUnitId, paymentOrchestratorId } = owner
    const { paymentOrchestrators } = await units.find(owner, businessUnitId)
    const found = paymentOrchestrators.find(({ id }) => id === paymentOrchestratorId)
    if (found === undefined) throw new Error(`the business unit has no payment orchestrator ${paymentOrchestratorId}`)
    return found
  }

  return {
    find: async (owner, orchestrator) => {
      const found = orchestrator ?? (await requireOrchestrator(owner))
      const { payment_gateway: connector, mode, gateway_url: gatewayUrl, settings } = found
      const { traceId: _, ...ids } = owner
      const account = { ...ids, connector, mode, settings }
      if (connector === 'sandbox') return { ...account, credentials: {}, gatewayUrl, name: nameAccount(found) }
      return { ...account, ...(await loadAuthentication(owner, found)) }
    },
  }
}
