import { createHmac } from 'node:crypto'
import { type AssertionKeys, assertionKeys } from '@payments/chassis/assertion/assertion'
import { json } from '@payments/chassis/base/config'
import { z } from 'zod'

/** Variables of a service that recognizes payers whom it has erased. */
export const payerHashConfig = {
  PAYER_HASH_KEYS: json(assertionKeys).describe(
    'JSON: {id: base64 key of 32 bytes}; erased payers are recognized by an HMAC with one of these keys. Retain an earlier key for 90 days',
  ),
  PAYER_HASH_KEY_CURRENT: z.string().min(1).describe('id of the key for new hashes of erased payers'),
}

interface PayerHashSettings {
  readonly PAYER_HASH_KEYS: AssertionKeys
  readonly PAYER_HASH_KEY_CURRENT: string
}

/** For `.check(payerHashConfigIsWhole)`. */
export const payerHashConfigIsWhole = z.refine<PayerHashSettings>(
  ({ PAYER_HASH_KEYS: keys, PAYER_HASH_KEY_CURRENT: current }) => keys.has(current),
  { path: ['PAYER_HASH_KEY_CURRENT'], message: 'is not one of PAYER_HASH_KEYS' },
)

/** The keys of the hashes of addresses, by id. The database has none of them. */
export interface PayerHashKeys {
  readonly keys: AssertionKeys
  readonly current: string
}

export const payerHashKeys = (settings: PayerHashSettings): PayerHashKeys => ({
  keys: settings.PAYER_HASH_KEYS,
  current: settings.PAYER_HASH_KEY_CURRENT,
})

/**
 * HMAC-SHA256 of tenant and address with each key, the current one first. `address`: of `normalizeAddress`.
 * Without the key, a phone number is not found by trying all.
 */
export function addressHashes(
  { keys, current }: PayerHashKeys,
  tenantId: string,
  address: string,
): readonly [Uint8Array<ArrayBuffer>, ...Uint8Array<ArrayBuffer>[]] {
  const hashWith = (id: string) => {
    const key = keys.get(id)
    if (key === undefined) throw new Error(`there is no key ${id} of the hashes of payers`)
    return Uint8Array.from(createHmac('sha256', key).update(`${tenantId} ${address}`).digest())
  }
  return [hashWith(current), ...[...keys.keys()].filter((id) => id !== current).map(hashWith)]
}
