import { z } from 'zod'
import type { Endpoint } from './contract.ts'

/**
 * The authorization epoch of a service that owns power: a number that moves with every change of what somebody may do.
 * A reader that remembers what the owner said asks with the epoch it knows; what it is told to forget, it forgets.
 *
 * - `invalidated` is null: forget everything. So too where `incarnation` is not the one seen before, and where a kind is unknown.
 * - Otherwise it names each thing that changed after `since`: `key` and `role` whatever depends on that key or role, `tenant`
 *   whatever depends on anything of that tenant (its status, which roles have which names), `unknown_key_hashes` each key
 *   hash that belonged to no key (its id is `everyKeyHash`).
 */
export const invalidationKinds = ['key', 'role', 'tenant', 'unknown_key_hashes'] as const

export const everyKeyHash = '00000000-0000-0000-0000-000000000000'

export type InvalidationKind = (typeof invalidationKinds)[number]

const authorizationEpoch = z.object({
  /** Of the database that counts: another one was put in its place, or it was restarted or restored. */
  incarnation: z.string(),
  epoch: z.int(),
  invalidated: z.array(z.object({ kind: z.string(), id: z.guid() })).nullable(),
})

export type AuthorizationEpoch = z.output<typeof authorizationEpoch>

/** The name of the endpoint below in the contract of each service that owns power. */
export const authorizationEpochOperation = 'readAuthorizationEpoch'

export const authorizationEpochEndpoint = {
  method: 'GET',
  path: '/internal/authorization-epoch',
  audience: 'internal',
  callers: ['gateway'],
  summary: 'Read the authorization epoch, and what has changed since the one that is known.',
  query: z.strictObject({ since: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional() }),
  replies: { 200: authorizationEpoch },
  polled: true,
} as const satisfies Endpoint
