import { createHmac, type KeyObject, randomBytes } from 'node:crypto'
import {
  base62,
  calculateChecksum,
  type Environment,
  keyHash,
  secretLength,
} from '@payments/contracts/grammar/key-value'
import { sessionPrefix } from '@payments/contracts/grammar/session-value'
import type { SessionIndex } from '../store/sessions.ts'

export interface Peppers {
  readonly keys: ReadonlyMap<string, KeyObject>
  readonly current: string
}

export type SessionValues = ReturnType<typeof sessionValues>

/** Values of sessions, and the indexes under which sessions are found. A session has a value once: it is not stored. */
export function sessionValues(environment: Environment, { keys, current }: Peppers) {
  /** The indexes of a session hash (SHA-256 of the value, hex) under each pepper. */
  const indexes = (sessionHash: string): SessionIndex[] =>
    [...keys].map(([pepperKid, pepper]) => ({
      pepperKid,
      indexHmac: Buffer.from(createHmac('sha256', pepper).update(Buffer.from(sessionHash, 'hex')).digest()),
    }))
  /** As `indexes`, for a value. */
  const listIndexes = (value: string) => indexes(keyHash(value))
  return {
    indexes,
    listIndexes,
    /** A new value, and its index under the current pepper. */
    generate(): { readonly value: string } & SessionIndex {
      const secret = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), secretLength)
      const covered = `${sessionPrefix}_${environment}_${secret}`
      const value = covered + calculateChecksum(covered)
      const index = listIndexes(value).find(({ pepperKid }) => pepperKid === current)
      if (index === undefined) throw new Error('the current pepper has no key')
      return { value, ...index }
    },
  }
}
