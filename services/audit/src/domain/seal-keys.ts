import type { KeyObject } from 'node:crypto'

/** What seals are computed with, and which seals without a key are accepted. */
export interface SealKeys {
  /** By id; the ids of earlier keys stay, so that their seals can be verified. */
  readonly keys: ReadonlyMap<string, KeyObject>
  /** The id of the key for new seals. */
  readonly current: string
  /** Seals of version 1 are accepted when they were made before this instant; null: none is. */
  readonly unkeyedBefore: Date | null
}
