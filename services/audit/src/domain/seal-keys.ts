import type { KeyObject } from 'node:crypto'

/** Keys of the seals, and the limit up to which seals without a key are accepted. */
export interface SealKeys {
  /** By id. Contains earlier keys, with which earlier seals are verified. */
  readonly keys: ReadonlyMap<string, KeyObject>
  /** The id of the key for new seals. */
  readonly current: string
  /** Seals of version 1 are accepted before this instant; null: no seal of version 1 is accepted. */
  readonly unkeyedBefore: Date | null
}
