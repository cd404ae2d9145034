import type { AuthorizationEpoch } from '@payments/contracts/authorization-version'
import { createSingleFlight, type Pause } from './single-flight.ts'

/**
 * **What it does.** Lets the gateway cache keys and roles although a change binds the next request. Each request waits
 * for a read of the authorization version, and the read invalidates what changed.
 * packages/chassis/src/authorization-version.ts is the other side.
 *
 * **Participants.** An *authorization source* (api-key, rbac) counts its changes and names those after a given epoch. A
 * *revalidator*, one per source, stores the version of its cache: incarnation and epoch. A *request* calls `revalidate`
 * on arrival, then uses the cache. A *load* requests from the source what the cache lacks, and stores the response only
 * if the version has not changed since the load began.
 *
 * **Guarantees.** A decision uses the state of each source at some moment after the request arrived. A change that was
 * acknowledged before therefore binds the request, on every replica, with the broker up or down. A change commits
 * together with its epoch, before it is acknowledged. Proof:
 *
 * 1. Invariant: a cache of version n holds only what the source would respond in its state n.
 *    a. A load that began at version n gets a response of a state m ≥ n, and stores it only while the version is n.
 *    b. Changes up to m are in the response. Changes after m have a higher epoch, so a later read names them.
 *    c. Had the version moved to k meanwhile, that read could have named a change between m and k before the entry
 *       existed. The load then stores nothing.
 *    d. A read from n to k invalidates what changed in between. It invalidates everything on a gap, another incarnation
 *       or an unknown kind.
 * 2. `revalidate` waits for a read that *began* after the request arrived. Its epoch includes each change acknowledged
 *    before. From then on the version is that one or later, and by 1 so is every entry, including entries that older
 *    loads store later.
 * 3. A request without a cached entry joins only a load that begins after its call, and uses the response even when the
 *    load does not store it.
 * 4. A request revalidates against both sources. Each can only remove permissions from the decision, so a permission
 *    that was removed before the request arrived is missing.
 *
 * Reads are coalesced: one is in progress per source, and one waits. The load on a source grows with neither requests
 * nor credentials. A failed read rejects the callers that waited for it, and no others; it invalidates nothing.
 *
 * **Not guaranteed.** One moment for both sources: a role that is removed from a key and then widened, both during one
 * request, may count in the reverse order. A bound on the wait beyond two read time-outs and the pause between them.
 * The passing of an expiry, which no epoch counts: the resolver checks the clock at each request.
 */
export interface Revalidator {
  /** Resolves when the cache reflects a moment after this call. Rejects with the error of the read. */
  revalidate(): Promise<void>
  /** A different object after each change of the version; undefined before the first read. */
  version(): object | undefined
}

export interface AuthorizationSource {
  /** Must reject within a time-out of its own. */
  readonly readAuthorizationVersion: (since: number | undefined) => Promise<AuthorizationEpoch>
  /** Pause between two consecutive reads. */
  readonly pause?: Pause
}

interface RevalidatorOptions {
  readonly source: AuthorizationSource
  readonly invalidateAll: () => void
  /** By kind of change. A change of another kind calls `invalidateAll`. */
  readonly invalidate: Readonly<Record<string, (id: string) => void>>
}

export function createRevalidator({ source, invalidateAll, invalidate }: RevalidatorOptions): Revalidator {
  let known: Pick<AuthorizationEpoch, 'incarnation' | 'epoch'> | undefined
  const kinds = new Map(Object.entries(invalidate))
  const singleFlight = createSingleFlight<void>(source.pause)

  const readVersion = async (): Promise<void> => {
    const { incarnation, epoch, invalidated } = await source.readAuthorizationVersion(known?.epoch)
    const isContinued = known?.incarnation === incarnation && invalidated !== null
    if (isContinued && known?.epoch === epoch) return
    const isNameable = isContinued && invalidated.every(({ kind }) => kinds.has(kind))
    if (isNameable) for (const { kind, id } of invalidated) kinds.get(kind)?.(id)
    else invalidateAll()
    known = { incarnation, epoch }
  }

  return {
    revalidate: () => singleFlight('version', readVersion),
    version: () => known,
  }
}
