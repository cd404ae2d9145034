import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { addressBlock } from './client-ip.ts'

/**
 * **What it does.** Stores which credentials were verified at which address within the last hour.
 *
 * **Guarantees.** Strangers at the address of a caller, such as behind one NAT, do not close the caller out: its
 * credential is accepted while the address is blocked for wrong ones, and its browser has an allowance of unverified
 * requests of its own.
 *
 * **Not guaranteed.** For the first request of a credential at an address, and for other replicas.
 */
export interface KnownCallers {
  record(address: string, credential: string): void
  /** Deletes a credential that was rejected. */
  delete(address: string, credential: string): void
  has(address: string, credential: string): boolean
}

const hourMs = 60 * 60 * 1000

/** Stores hashes, so that each caller has the same size. */
export function createKnownCallers({ callersMax = 20_000, ttl = hourMs } = {}): KnownCallers {
  const callers = new LRUCache<string, true>({ max: callersMax, ttl })
  return {
    record: (address, credential) => void callers.set(callerOf(address, credential), true),
    delete: (address, credential) => void callers.delete(callerOf(address, credential)),
    has: (address, credential) => callers.has(callerOf(address, credential)),
  }
}

/** Names the credential at the address of its caller, without the credential. */
export function callerOf(address: string, credential: string): string {
  return hash('sha256', `${addressBlock(address)} ${credential}`, 'base64')
}
