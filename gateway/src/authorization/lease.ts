import { inSpan } from '@payments/chassis/observability/trace'
import type {
  AuthorizationVersion,
  AuthorizationVersionReply,
} from '@payments/contracts/endpoints/authorization-version'

/**
 * **What it does.** Lets the gateway cache keys, sessions and roles although a change binds the next request: under a
 * valid lease the cache reflects every acknowledged change, and requests wait for no read.
 *
 * **Participants.** An *authorization source* (api-key, identity, rbac) acknowledges no change before the earlier
 * leases have expired. A *lease*, one per source, stores the version of its cache and the moment of the last read. A
 * *load* stores a response only if the version has not changed meanwhile (cached-load.ts).
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

/** The clocks of a process, in milliseconds. */
export interface Clock {
  /** Is never set. May stand still while the machine is suspended. */
  monotonicMs(): number
  /** Moves while the machine is suspended. May be set. */
  wallMs(): number
}

export const processClock: Clock = { monotonicMs: () => performance.now(), wallMs: () => Date.now() }

export interface LeaseOptions {
  /** The name of the authorization source, for traces. */
  readonly source: string
  /** Names the changes after the epoch `since`. Must reject within a time-out of its own. */
  readonly readVersion: (since: number | undefined) => Promise<AuthorizationVersionReply>
  readonly invalidateAll: () => void
  /** By kind of change. A change of another kind calls `invalidateAll`. */
  readonly invalidate: Readonly<Record<string, (id: string) => void>>
  readonly clock: Clock
}

export function createLease({ source, readVersion, invalidateAll, invalidate, clock }: LeaseOptions): Lease {
  const kinds = new Map(Object.entries(invalidate))
  let version: AuthorizationVersion | undefined
  let lease = { durationMs: 0, sentAt: now(clock) }
  let readInProgress: Promise<void> | undefined

  const apply = ({ incarnation, epoch, invalidated, catalogue }: AuthorizationVersionReply) => {
    const isSameSource = version?.incarnation === incarnation && version.catalogue === catalogue
    const isContinued = isSameSource && invalidated !== null
    if (isContinued && version?.epoch === epoch) return
    const isNameable = isContinued && invalidated.every(({ kind }) => kinds.has(kind))
    if (isNameable) for (const { kind, id } of invalidated) kinds.get(kind)?.(id)
    else invalidateAll()
    version = { incarnation, epoch, catalogue }
  }
  const read = async () => {
    const sentAt = now(clock)
    const response = await readVersion(version?.epoch)
    apply(response)
    lease = { durationMs: response.lease_ms, sentAt }
  }
  const startRead = (): Promise<void> => {
    readInProgress = read().finally(() => {
      readInProgress = undefined
    })
    return readInProgress
  }
  const isValid = () => ageMs(lease.sentAt, clock) < lease.durationMs

  const waitForRead = async () => {
    if (readInProgress !== undefined) {
      // Sent before this call. Its failure concerns the requests for which it was sent.
      await readInProgress.catch(() => {})
      if (isValid()) return
    }
    // A read in progress by now was sent after this call.
    await (readInProgress ?? startRead())
  }
  const spanOptions = { kind: 'internal', attributes: { 'peer.service': source } } as const

  return {
    async acquire() {
      if (!isValid()) return inSpan('wait for version read', spanOptions, waitForRead)
      const isSecondHalf = ageMs(lease.sentAt, clock) >= lease.durationMs / 2
      // A failed renewal leaves the lease as it is; the first request after its end learns the reason.
      if (isSecondHalf && readInProgress === undefined) startRead().catch(() => {})
    },
    version: () => version,
  }
}

interface Instant {
  readonly monotonicMs: number
  readonly wallMs: number
}

function now(clock: Clock): Instant {
  return { monotonicMs: clock.monotonicMs(), wallMs: clock.wallMs() }
}

/** The age by the clock that has moved further. Infinite if the wall clock was set back. */
function ageMs(instant: Instant, clock: Clock): number {
  const wallMs = clock.wallMs() - instant.wallMs
  return wallMs < 0 ? Number.POSITIVE_INFINITY : Math.max(wallMs, clock.monotonicMs() - instant.monotonicMs)
}
