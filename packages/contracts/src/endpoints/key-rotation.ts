import { z } from 'zod'
import type { Endpoint } from '../grammar/contract.ts'
import { instantInput } from '../grammar/field.ts'
import { defineProblems, Problem } from '../grammar/problem.ts'
import { internalRoute } from '../grammar/route.ts'

/**
 * Moves stored values from a previous secret key (a key-encryption key, a pepper) to the current one, in batches, while
 * the services run. The caller continues from `next` until it is null. Starting again is harmless: values that have
 * been moved are not selected.
 */
export const rotationProblems = defineProblems({
  other_key_current: {
    status: 409,
    title: 'The processes use different current keys',
    explanation:
      'The processes of the service have different current keys. Restart those with the old configuration, then run the command again.',
  },
  since_in_the_future: {
    status: 422,
    title: 'The instant is in the future',
    explanation:
      'Secrets are re-encrypted under data keys created since an instant. The instant must not be in the future. Check the instant and the clocks.',
  },
})

const batch = z.strictObject({
  /** `next` of the previous response; null to start. */
  after: z.guid().nullable(),
  limit: z.int().min(1).max(1000),
  /** `current` of the previous response. Rejected when another key is current. */
  current: z
    .string()
    .regex(/^[\w.-]{1,64}$/)
    .optional(),
})

export type RotationBatch = z.output<typeof batch>

/** Selects the values encrypted under a data key older than `since`. */
const reencryption = batch.extend({ since: instantInput })

const progress = z.object({
  /** The id of the current key. */
  current: z.string(),
  /** Number of values that this call moved. */
  done: z.int(),
  /** Number of values that could not be decrypted. Each is logged and stays unchanged. */
  failed: z.int(),
  /** Number of values after `next` that remain to be moved. */
  remaining: z.int(),
  next: z.guid().nullable(),
})

export type RotationProgress = z.output<typeof progress>

/**
 * Throws other_key_current when another key was current for the previous batch: two such processes would undo each
 * other.
 */
export function rejectOtherCurrent({ current }: RotationBatch, ours: string): void {
  if (current === undefined || current === ours) return
  const detail = `The current key is ${ours}; the previous batch used ${current}`
  throw new Problem(rotationProblems.other_key_current, { detail })
}

/** Throws since_in_the_future, with one minute of tolerance for clocks that differ. */
export function rejectFuture(since: Date): void {
  if (since.getTime() > Date.now() + 60_000) throw new Problem(rotationProblems.since_in_the_future)
}

/** `rewrapDataKeys` of each service with a vault. */
export const rewrapDataKeysEndpoint = {
  ...internalRoute('POST', '/internal/secrets/rewrap', 'payctl'),
  summary: 'Wrap data keys of a previous key-encryption key with the current one.',
  body: batch,
  replies: { 200: progress },
  problems: ['other_key_current'],
} as const satisfies Endpoint<'other_key_current'>

/** `reencryptSecrets` of each service with a vault. */
export const reencryptSecretsEndpoint = {
  ...internalRoute('POST', '/internal/secrets/reencrypt', 'payctl'),
  summary: 'Re-encrypt secrets of data keys older than an instant under a newer data key.',
  body: reencryption,
  replies: { 200: progress },
  problems: ['other_key_current', 'since_in_the_future'],
} as const satisfies Endpoint<'other_key_current' | 'since_in_the_future'>

export const rotatePepperEndpoint = {
  ...internalRoute('POST', '/internal/secrets/rotate-pepper', 'payctl'),
  summary: 'Move key hashes of a previous pepper to the current one.',
  body: batch,
  replies: { 200: progress },
  problems: ['other_key_current'],
  changesAuthorization: true,
} as const satisfies Endpoint<'other_key_current'>
