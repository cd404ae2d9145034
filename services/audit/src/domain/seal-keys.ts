import type { KeyObject } from 'node:crypto'

export interface SealKeys {
  /** By id. Contains earlier keys, with which earlier seals are verified. */
  readonly keys: ReadonlyMap<string, KeyObject>
  /** The id of the key for new seals. */
  readonly current: string
}
