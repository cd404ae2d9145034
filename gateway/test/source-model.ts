import type { VersionReads, VersionSessions } from '@payments/chassis/database/authorization-version-reads'
import type { InvalidationKind } from '@payments/contracts/endpoints/authorization-version'

/** A change that a version read names. */
export interface Change {
  readonly kind: InvalidationKind
  readonly id: string
}

/**
 * Model of the database of an authorization source: a sequence of states, each with its epoch. The model retains every
 * state, so that a principal can be compared with each.
 */
export interface SourceModel<S> {
  readonly state: () => S
  /** Every state so far; the index of a state is its epoch. */
  readonly history: readonly S[]
  /** Epoch of the last acknowledged change. */
  readonly acknowledged: () => number
  /** Commits a change. Calling the returned function acknowledges the change. */
  readonly commit: (state: S, changes: readonly Change[]) => () => void
  /** The row of a version read, at this moment. */
  readonly selectVersion: (oldest: number | null, namedMax: number) => object
  /** Deletes the names of all changes. */
  readonly purge: () => void
  /** Continues with another incarnation, in whose history other ids changed. */
  readonly restart: () => void
}

export function createSourceModel<S>(first: S): SourceModel<S> {
  const history = [first]
  let named: (readonly [epoch: number, kind: InvalidationKind, id: string])[] = []
  let acknowledged = 0
  let incarnation = 1
  const epoch = () => history.length - 1
  return {
    state: () => history[epoch()] as S,
    history,
    acknowledged: () => acknowledged,
    commit(state, changes) {
      history.push(state)
      const at = epoch()
      for (const { kind, id } of changes) named.push([at, kind, id])
      return () => {
        acknowledged = Math.max(acknowledged, at)
      }
    },
    selectVersion(oldest, namedMax) {
      const later = oldest === null ? [] : named.filter(([at]) => at > oldest).slice(-namedMax)
      return { epoch: String(epoch()), incarnation: String(incarnation), named: later }
    },
    purge: () => {
      named = []
    },
    restart: () => {
      incarnation += 1
      named = named.map(([at, kind]) => [at, kind, 'another'])
    },
  }
}

/** How the process of a source reads the version: as `createVersionReads`, or with a defect. */
export type CreateVersionReads = (sessions: VersionSessions) => VersionReads

/** A database that responds to version reads after two delays, and reads the state between them. */
export function simulatedSessions<S>(model: SourceModel<S>, delay: (step: () => void) => void): VersionSessions {
  return {
    query: <R>({ values }: { readonly values: readonly unknown[] }) =>
      new Promise<R[]>((resolve) => {
        delay(() => {
          const [oldest, namedMax] = values as [number | null, number]
          const row = model.selectVersion(oldest, namedMax) as R
          delay(() => resolve([row]))
        })
      }),
  }
}
