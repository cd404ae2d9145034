import type { AuthorizationEpoch } from '@payments/contracts/authorization-version'
import { createFlights, type Pause } from './single-flight.ts'

/**
 * Authorization epochs, the reader's side: how the gateway remembers what the owners of power said, and yet judges no
 * request by what no longer holds. The owner's side is in chassis/epoch.ts.
 *
 * People. The *owner* (api-key, rbac) counts its changes of power and can name those after a given count. The *reader*,
 * one for each owner, knows up to which count its memory holds: its *position*. A *request* calls `catchUp` when it has
 * arrived, and may use the memory when that has resolved. A *fill* asks the owner what is not in the memory, and puts
 * the answer there where the position has not moved since the fill began.
 *
 * Guarantee. A request is judged by the owner's state at some moment after it arrived. So whatever took power away and was
 * answered before the request arrived binds it, whichever gateway it came to, with the broker up or down.
 *
 * Why. A change commits with its count before it is answered, and what reads afterwards sees it.
 * 1. Invariant: at position n, whatever the memory holds is what the owner would answer in its state n.
 *    - A fill that began at position n was answered from a state m ≥ n. It is kept only if the position is n still. What changes
 *      after m has a count beyond n, so a later read will name it; what changed up to m the answer has in it. Had the position moved
 *      meanwhile to k, a change between m and k could have been named before there was anything to forget: so it is not kept.
 *    - From n to k the memory forgets what is named in between; where that cannot be named (a gap, another incarnation, a
 *      kind from a newer owner) all of it.
 * 2. `catchUp` waits for a read that *began* after the request arrived. It tells a count that includes each change answered
 *    before that. From then on the position is that count or a later one, and by 1 the memory is of that state or a later one:
 *    also what is put there afterwards, by fills of others, however early they began.
 * 3. A request that finds nothing joins only a fill that begins after it asks, and uses the answer even where it is not kept.
 *
 * Reads are coalesced: one is under way at most, and one waits; their load grows with neither requests nor credentials. When a read
 * fails, those who waited for it fail, and nobody else; nothing is forgotten, for nothing is used without a later read.
 *
 * Two owners have two positions, and a request catches up with both. Each answer is then of a state after its arrival, and who may
 * do what is made of both so that either can only take away: whatever was taken before is missing in one of them. Not promised: that
 * both are of one moment. A role taken from a key and, later, made stronger, both while a request is under way, may meet in it the
 * other way round; so they would if both owners were asked directly.
 *
 * Not promised either: a bound on how long a request waits behind a slow owner other than twice the deadline of one read and the
 * pause between the two; and what the owner does not count, such as the passing of time. Expiry is judged by the clock, at each request, outside the memory.
 */
export interface EpochReader {
  /** Resolves when the memory holds up to a moment after this call. Rejects as the read that it waited for. */
  catchUp(): Promise<void>
  /** Another object whenever it has moved; undefined before the first read. */
  position(): object | undefined
}

export interface EpochOwner {
  /** Must fail within a deadline of its own. */
  readonly readAuthorizationVersion: (since: number | undefined) => Promise<AuthorizationEpoch>
  /** How long to leave it alone between two reads that are asked for one after the other. */
  readonly pause?: Pause
}

interface EpochReaderOptions {
  readonly owner: EpochOwner
  readonly forgetAll: () => void
  /** What to do for each kind of change; of others, everything is forgotten. */
  readonly forget: Readonly<Record<string, (id: string) => void>>
}

export function createEpochReader({ owner, forgetAll, forget }: EpochReaderOptions): EpochReader {
  let known: Pick<AuthorizationEpoch, 'incarnation' | 'epoch'> | undefined
  const kinds = new Map(Object.entries(forget))
  const flights = createFlights<void>(owner.pause)

  const advance = async (): Promise<void> => {
    const { incarnation, epoch, invalidated } = await owner.readAuthorizationVersion(known?.epoch)
    const isContinued = known?.incarnation === incarnation && invalidated !== null
    if (isContinued && known?.epoch === epoch) return
    const isNameable = isContinued && invalidated.every(({ kind }) => kinds.has(kind))
    if (isNameable) for (const { kind, id } of invalidated) kinds.get(kind)?.(id)
    else forgetAll()
    known = { incarnation, epoch }
  }

  return {
    catchUp: () => flights('epoch', advance),
    position: () => known,
  }
}
