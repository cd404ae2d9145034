import { createHmac, type KeyObject } from 'node:crypto'
import { base62, calculateChecksum, type Environment, secretLength } from '@payments/contracts/grammar/key-value'

/** The vault binds a value to this purpose, the tenant and the key. */
export const valuePurpose = 'api-key.value'

export const encryptedColumns = [
  { table: 'keys', id: 'id', column: 'value_encrypted', purpose: valuePurpose },
  { table: 'previous_values', id: 'key_id', column: 'value_encrypted', purpose: valuePurpose },
]

export const secretBytes = 32

/** The value of a new key. `random` is 32 bytes from the generator of the operating system. */
export function createKeyValue(environment: Environment, random: Uint8Array): string {
  if (random.length !== secretBytes) throw new Error(`a key needs ${secretBytes} random bytes, not ${random.length}`)
  const covered = `psk_${environment}_${base62(BigInt(`0x${Buffer.from(random).toString('hex')}`), secretLength)}`
  return covered + calculateChecksum(covered)
}

/** Secret keys of the index, by id. Without them a copy of the table does not confirm a guessed value. */
export interface Peppers {
  readonly keys: ReadonlyMap<string, KeyObject>
  readonly current: string
}

/** Finds the key of a key hash in the database: the HMAC of the key hash under one pepper. */
export interface KeyIndex {
  readonly pepperKid: string
  readonly hmac: Uint8Array<ArrayBuffer>
}

/** The index under which a new value is stored. */
export function currentIndex(peppers: Peppers, hashed: string): KeyIndex {
  const pepper = peppers.keys.get(peppers.current)
  if (pepper === undefined) throw new Error(`there is no pepper ${peppers.current}`)
  return buildKeyIndex(peppers.current, pepper, hashed)
}

/** The index under each pepper of the ring; the value is stored under one of them. */
export function keyIndexes(peppers: Peppers, hashed: string): KeyIndex[] {
  return [...peppers.keys].map(([pepperKid, pepper]) => buildKeyIndex(pepperKid, pepper, hashed))
}

function buildKeyIndex(pepperKid: string, pepper: KeyObject, hashed: string): KeyIndex {
  return { pepperKid, hmac: Uint8Array.from(createHmac('sha256', pepper).update(hashed).digest()) }
}
