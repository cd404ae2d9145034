import { z } from 'zod'

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
export const authorizationVersionReply = z
  .object({
    /** Identifies one history of the counter. Changes with a restart, a promotion or a replacement of the database. */
    incarnation: z.string().min(1).max(100),
    epoch: z.int().min(0),
    invalidated: z
      .array(z.object({ kind: z.string().min(1).max(100), id: z.guid() }).readonly())
      .max(1_000)
      .readonly()
      .nullable(),
    lease_ms: z.int().min(0).max(1_000),
    catalogue: z.string().min(1).max(100).optional(),
  })
  .readonly()

export type AuthorizationVersionReply = z.output<typeof authorizationVersionReply>

export type AuthorizationVersion = Pick<AuthorizationVersionReply, 'incarnation' | 'epoch' | 'catalogue'>

export type InvalidationKind = 'key' | 'role' | 'tenant' | 'unknown_key_hashes' | 'session' | 'user'

export const everyKeyHash = '00000000-0000-0000-0000-000000000000'
