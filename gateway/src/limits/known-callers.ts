import { hash } from 'node:crypto'
import { createSizedCache } from '@payments/chassis/base/sized-cache'
import { addressBlock } from './client-ip.ts'

/**
 * **What it does.** Stores which credentials were verified at which address within the last hour.
 *
 * **Guarantees.** Strangers at the address of a caller, such as behind one NAT, do not close the caller out: its
 * credential is accepted while the address is blocked for wrong ones, and its browser has another allowance of
 * unverified requests. A credential that ends is no guess, however often an open tab or a program sends it.
 *
 * **Not guaranteed.** For the first request of a credential at an address, and for other replicas.
 */
export interface KnownCallers {
  record(address: string, credential: string, tenantId: string): void
  /** Ends a credential that was rejected. */
  end(address: string, credential: string): void
  /** Undefined for a credential that was not verified there: it may be a guess. */
  find(address: string, credential: string): KnownCaller | undefined
}

const hourMs = 60 * 60 * 1000

interface KnownCaller {
  readonly tenantId: string
  readonly untilMs: number
  /** Whether its credential was rejected since: a program or tab may continue to send it. */
  readonly hasEnded: boolean
}

/** Stores hashes, so that each caller has the same size. A tenant has a quarter of the callers. */
export function createKnownCallers({ callersMax = 20_000, now = Date.now } = {}): KnownCallers {
  const callers = createSizedCache<KnownCaller>({
    entriesMax: callersMax,
    bytesMax: callersMax,
    measureBytes: () => 1,
    readTenantId: ({ tenantId }) => tenantId,
  })
  return {
    record(address, credential, tenantId) {
      const key = knownCallerKey(address, credential)
      // A caller that sends many requests is stored twice an hour.
      const found = callers.get(key)
      const isFresh = found?.hasEnded === false && found.untilMs >= now() + hourMs / 2
      if (!isFresh) callers.set(key, { tenantId, untilMs: now() + hourMs, hasEnded: false })
    },
    end(address, credential) {
      const key = knownCallerKey(address, credential)
      const found = callers.get(key)
      if (found?.hasEnded === false) callers.set(key, { ...found, hasEnded: true })
    },
    find(address, credential) {
      const found = callers.get(knownCallerKey(address, credential))
      return found !== undefined && found.untilMs > now() ? found : undefined
    },
  }
}

/** Names the credential at the address of its caller, without the credential. */
export function knownCallerKey(address: string, credential: string): string {
  return hash('sha256', `${addressBlock(address)} ${credential}`, 'base64')
}
