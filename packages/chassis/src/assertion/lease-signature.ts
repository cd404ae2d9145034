import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { AssertionKeys } from './assertion.ts'

/**
 * **What it does.** Authenticates calls for authorization leases, `issuer.time.mac` in one header. The MAC is
 * HMAC-SHA256 over purpose, method, path, issuer, audience, time and body, with a key derived from the key of the pair.
 *
 * **Guarantees.** The issuer sent these bytes to this audience and path within the last 30 s. The derived key signs no
 * assertion, and the key of the pair verifies no signature of this kind.
 *
 * **Not guaranteed.** Protection against replay: within 30 s the same call can be sent again.
 */
export const leaseSignatureHeader = 'internal-lease-signature'

const purpose = 'authorization-lease'
const lifetimeSeconds = 30
const headerCharactersMax = 200

/** The key for calls between a pair of processes, derived by HKDF-SHA256 from the assertion key of the pair. */
export function deriveLeaseKey(pairKey: KeyObject): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', pairKey, new Uint8Array(), purpose, 32)))
}

export interface LeaseCall {
  readonly method: string
  readonly path: string
  readonly audience: string
}

/** The value of the header. `key`: of `deriveLeaseKey`. */
export function signLeaseCall(
  call: LeaseCall,
  { issuer, key }: { issuer: string; key: KeyObject },
  body: Uint8Array,
): string {
  const time = String(Math.floor(Date.now() / 1000))
  return `${issuer}.${time}.${leaseCallMac({ ...call, issuer, time, key }, body).toString('base64url')}`
}

/** A signature whose MAC is not verified yet. */
export interface ClaimedSignature {
  readonly issuer: string
  verify(call: LeaseCall, body: Uint8Array): boolean
}

/** Undefined without a key of the issuer, and for a time more than 30 s from now. `keys`: of `deriveLeaseKey`. */
export function readLeaseSignature(header: string | undefined, keys: AssertionKeys): ClaimedSignature | undefined {
  if (header === undefined || header.length > headerCharactersMax) return undefined
  const [issuer = '', time = '', mac = '', ...rest] = header.split('.')
  const key = keys.get(issuer)
  if (rest.length > 0 || key === undefined || !/^\d{1,12}$/.test(time)) return undefined
  if (Math.abs(Date.now() / 1000 - Number(time)) > lifetimeSeconds) return undefined
  const claimed = Buffer.from(mac, 'base64url')
  const verify = (call: LeaseCall, body: Uint8Array) => {
    const expected = leaseCallMac({ ...call, issuer, time, key }, body)
    return claimed.length === expected.length && timingSafeEqual(claimed, expected)
  }
  return { issuer, verify }
}

type Signed = LeaseCall & { readonly issuer: string; readonly time: string; readonly key: KeyObject }

/** The body is last and no other part has a line feed, so two different calls never have the same bytes. */
function leaseCallMac({ method, path, issuer, audience, time, key }: Signed, body: Uint8Array): Buffer {
  const described = [purpose, method, path, issuer, audience, time, ''].join('\n')
  return createHmac('sha256', key).update(described).update(body).digest()
}
