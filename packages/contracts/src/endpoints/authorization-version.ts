import { z } from 'zod'
import type { Endpoint } from '../grammar/contract.ts'
import { queryInteger } from '../grammar/field.ts'

/**
 * A reader with a cache sends the epoch that it knows, and invalidates what the response names.
 *
 * - `invalidated` null invalidates everything. So do a new `incarnation` and an unknown kind.
 * - Otherwise `invalidated` names each change after `since`: `key`, `role`, `session` and `user` invalidate what
 *   depends on them, `tenant` its status and the names of its roles. `unknown_key_hashes`, with the id `everyKeyHash`,
 *   invalidates every key hash cached as unknown.
 * - `catalogue` identifies what the release of the source defines, such as built-in roles. Another one invalidates
 *   everything, and no load with it is cached: during a rollout, replicas differ.
 * - `lease_ms` is the time, from the request on, in which the source acknowledges no change that the response does not
 *   name.
 */
const invalidationKinds = ['key', 'role', 'tenant', 'unknown_key_hashes', 'session', 'user'] as const

export const everyKeyHash = '00000000-0000-0000-0000-000000000000'

export type InvalidationKind = (typeof invalidationKinds)[number]

const authorizationVersionReply = z.object({
  /** Identifies one history of the counter. Changes with a restart, a promotion or a replacement of the database. */
  incarnation: z.string(),
  epoch: z.int(),
  invalidated: z.array(z.object({ kind: z.string(), id: z.guid() })).nullable(),
  lease_ms: z.int().min(0).max(1_000),
  catalogue: z.string().optional(),
})

export type AuthorizationVersionReply = z.output<typeof authorizationVersionReply>

export type AuthorizationVersion = Pick<AuthorizationVersionReply, 'incarnation' | 'epoch' | 'catalogue'>

/** Name of the endpoint below in the contract of each authorization source. */
export const authorizationVersionOperation = 'readAuthorizationVersion'

/** For gateways of 0.2.0. Later ones read the version with `acquireAuthorizationLease` (authorization-lease.ts). */
export const authorizationVersionEndpoint = {
  method: 'GET',
  path: '/internal/authorization-version',
  audience: 'internal',
  callers: ['gateway'],
  summary: 'Read the authorization version, and what has changed since the known epoch.',
  query: z.strictObject({ since: queryInteger(0, Number.MAX_SAFE_INTEGER).optional() }),
  replies: { 200: authorizationVersionReply },
  polled: true,
} as const satisfies Endpoint
