import { inSpan } from '@payments/chassis/observability/trace'
import type {
  AuthorizationVersion,
  AuthorizationVersionReply,
} from '@payments/contracts/endpoints/authorization-version'
import { ageMs, type Clock, now } from './clock.ts'
import { createLeaseReads } from './lease-reads.ts'

/**
 * **What it does.** Lets the gateway cache keys, sessions and roles although a change binds the next request: under a
 * valid lease the cache reflects every acknowledged change, and requests wait for no read.
 *
 * **Participants.** An *authorization source* (api-key, identity, rbac) acknowledges no change before earlier leases
 * have expired. A *lease*, one per source, stores the version of its cache and the moment of the last read. A *load*
 * stores a response only if the version has not changed meanwhile (leased-cache.ts).
 *
 * **Guarantees.** A decision contains every change that was acknowledged before the request arrived, on every replica,
 * broker up or down. README.md has the proof.
 *
 * **Not guaranteed.** One moment for two sources, and the instant of an expiry (README.md).
 */
export interface Lease {
  /**
   * Resolves when the cache contains every change acknowledged before this call. Rejects with the error of the read.
   */
  acquire(): Promise<void>
  /** A different object after each change of the version; undefined before the first read. */
  version(): AuthorizationVersion | undefined
}

/** An authorization source: the caches of the gateway read the authorization version from it. */
export interface LeaseSource {
  /** Names the changes after the epoch `since`. Must reject in time. */
  readonly readVersion: (since: number | undefined) => Promise<AuthorizationVersionReply>
}

export interface LeaseOptions extends LeaseSource {
  /** The name of the authorization source, for traces. */
  readonly source: string
  readonly invalidateAll: () => void
  /** By kind of change. A change of another kind calls `invalidateAll`. */
  readonly invalidate: Readonly<Record<string, (id: string) => void>>
  readonly clock: Clock
}

/** Before the first lease: half of the lease of this release. */
const firstIntervalMs = 50

export function createLease({ source, readVersion, invalidateAll, invalidate, clock }: LeaseOptions): Lease {
  const kinds = new Map(Object.entries(invalidate))
  let version: AuthorizationVersion | undefined
  let lease = { durationMs: 0, sentAt: now(clock) }

  const apply = ({ incarnation, epoch, invalidated, catalogue }: AuthorizationVersionReply, since?: number) => {
    const current = version?.incarnation === incarnation && version.catalogue === catalogue ? version : undefined
    // Of another read in progress at the same time: the cache contains these changes.
    const isKnown = current !== undefined && epoch <= current.epoch
    if (isKnown && (invalidated !== null || since === undefined)) return
    const isContinued = current !== undefined && since !== undefined && since <= current.epoch
    const isNameable = isContinued && invalidated !== null && invalidated.every(({ kind }) => kinds.has(kind))
    if (isNameable) for (const { kind, id } of invalidated) kinds.get(kind)?.(id)
    else invalidateAll()
    version = { incarnation, epoch, catalogue }
  }
  const isValid = () => ageMs(lease.sentAt, clock) < lease.durationMs
  const reads = createLeaseReads({
    async send() {
      const sentAt = now(clock)
      const since = version?.epoch
      const response = await readVersion(since)
      return () => {
        apply(response, since)
        lease = { durationMs: response.lease_ms, sentAt }
      }
    },
    isValid,
    intervalMs: () => (lease.durationMs === 0 ? firstIntervalMs : lease.durationMs / 2),
    clock,
  })
  const spanOptions = { kind: 'internal', attributes: { 'peer.service': source } } as const

  return {
    async acquire() {
      if (!isValid()) return inSpan('wait for version read', spanOptions, reads.untilValid)
      // A failed renewal leaves the lease as it is; the first request after its end gets the reason.
      if (ageMs(lease.sentAt, clock) >= lease.durationMs / 2) reads.renew()
    },
    version: () => version,
  }
}
