import { createHmac, type KeyObject } from 'node:crypto'
import { base62, checksumOf, type Environment, secretLength } from '@payments/contracts/key-value'

/** What the vault binds a value to, beside tenant and key. */
export const valuePurpose = 'api-key.value'

export const secretBytes = 32

/** The value of a new key. `random` is 32 bytes from the system's generator. */
export function keyValueOf(environment: Environment, random: Uint8Array): string {
  if (random.length !== secretBytes) throw new Error(`a key has ${secretBytes} random bytes, not ${random.length}`)
  const covered = `psk_${environment}_${base62(BigInt(`0x${Buffer.from(random).toString('hex')}`), secretLength)}`
  return covered + checksumOf(covered)
}

/** Secret keys of the look-up, by id. A thief of the table alone cannot tell whether a guessed value is in it. */
export interface Peppers {
  readonly keys: ReadonlyMap<string, KeyObject>
  readonly current: string
}

/** Where a key stands in the look-up. */
export interface Lookup {
  readonly pepperKid: string
  readonly hmac: Uint8Array<ArrayBuffer>
}

/** What a new key is stored under. */
export function currentLookup(peppers: Peppers, handle: string): Lookup {
  const pepper = peppers.keys.get(peppers.current)
  if (pepper === undefined) throw new Error(`there is no pepper ${peppers.current}`)
  return lookupOf(peppers.current, pepper, handle)
}

/** Where a key may stand: under any pepper that is still there. */
export function lookups(peppers: Peppers, handle: string): Lookup[] {
  return [...peppers.keys].map(([pepperKid, pepper]) => lookupOf(pepperKid, pepper, handle))
}

function lookupOf(pepperKid: string, pepper: KeyObject, handle: string): Lookup {
  return { pepperKid, hmac: Uint8Array.from(createHmac('sha256', pepper).update(handle).digest()) }
}
