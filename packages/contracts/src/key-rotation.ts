import { z } from 'zod'
import type { Endpoint } from './contract.ts'
import { instantInput } from './field.ts'
import { defineProblems, Problem } from './problem.ts'

/**
 * Moving what rests under a former secret key (a key-encryption key, a pepper) to the current one, batch by batch, without
 * stopping anything. The caller goes on from `next` until it is null; to begin again does no harm, since what has been
 * moved is not found any more.
 */
export const rotationProblems = defineProblems({
  other_key_current: {
    status: 409,
    title: 'Another key is current here',
    explanation:
      'The processes of the service do not agree which key is current. Restart those that have the old configuration, then run the command again.',
  },
  since_in_the_future: {
    status: 422,
    title: 'The instant has not come yet',
    explanation:
      'Secrets are sealed anew under data keys made since an instant. A data key of the future would be the newest until then. Check the instant, and the clocks.',
  },
})

const batch = z.strictObject({
  /** `next` of the answer before; null to begin. */
  after: z.guid().nullable(),
  limit: z.int().min(1).max(1000),
  /** `current` of the answer before: refused where another key is current. */
  current: z
    .string()
    .regex(/^[\w.-]{1,64}$/)
    .optional(),
})

export type RotationBatch = z.output<typeof batch>

/** Whatever rests under a data key older than `since`. */
const reencryption = batch.extend({ since: instantInput })

export type ReencryptionBatch = z.output<typeof reencryption>

const progress = z.object({
  /** The id of the key that is current. */
  current: z.string(),
  /** How many were moved to it by this call. */
  done: z.int(),
  /** How many could not be opened; each is in the log, and stays as it was. */
  failed: z.int(),
  /** How many of those behind `next` are still to be moved. */
  remaining: z.int(),
  next: z.guid().nullable(),
})

export type RotationProgress = z.output<typeof progress>

/** Throws other_key_current where another key was current at the batch before: two such processes would undo each other's work. */
export function refuseOtherCurrent({ current }: RotationBatch, ours: string): void {
  if (current === undefined || current === ours) return
  const detail = `${ours} is current here, and ${current} was before`
  throw new Problem(rotationProblems.other_key_current, { detail })
}

/** Throws since_in_the_future, where clocks that differ a little do not explain it. */
export function refuseFuture(since: Date): void {
  if (since.getTime() > Date.now() + 60_000) throw new Problem(rotationProblems.since_in_the_future)
}

/** `rewrapDataKeys` of each service that has a vault. */
export const rewrapDataKeysEndpoint = {
  method: 'POST',
  path: '/internal/secrets/rewrap',
  audience: 'internal',
  callers: ['payctl'],
  summary: 'Wrap data keys that rest under a former key-encryption key with the current one.',
  body: batch,
  replies: { 200: progress },
  problems: ['other_key_current'],
} as const satisfies Endpoint<'other_key_current'>

/** `reencryptSecrets` of each service that has a vault. */
export const reencryptSecretsEndpoint = {
  method: 'POST',
  path: '/internal/secrets/reencrypt',
  audience: 'internal',
  callers: ['payctl'],
  summary: 'Seal secrets that rest under a data key older than an instant anew, under a younger one.',
  body: reencryption,
  replies: { 200: progress },
  problems: ['other_key_current', 'since_in_the_future'],
} as const satisfies Endpoint<'other_key_current' | 'since_in_the_future'>

export const repepperKeysEndpoint = {
  method: 'POST',
  path: '/internal/secrets/repepper',
  audience: 'internal',
  callers: ['payctl'],
  summary: 'Store the look-up of keys that stand under a former pepper under the current one.',
  body: batch,
  replies: { 200: progress },
  problems: ['other_key_current'],
} as const satisfies Endpoint<'other_key_current'>
