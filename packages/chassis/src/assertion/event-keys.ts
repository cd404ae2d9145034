import { z } from 'zod'
import { json } from '../base/config.ts'
import { type AssertionKeys, assertionKeys } from './assertion.ts'

/** Variables of every process that publishes events. */
export const eventProducerConfig = {
  EVENT_SIGN_KEYS: json(assertionKeys).describe(
    'Keys that sign the events of this service for each consumer. JSON: {consumer: base64 key of 32 bytes}',
  ),
}

const dayMs = 24 * 60 * 60 * 1000
const unsignedDaysMax = 7

/** Variables of every process that consumes events. */
export const eventConsumerConfig = {
  EVENT_VERIFY_KEYS: json(assertionKeys).describe(
    'Keys that verify the events of each producer. JSON: {producer: base64 key of 32 bytes}. During a rotation, a producer has a second key, such as rbac-2',
  ),
  EVENT_UNSIGNED_UNTIL: z.iso
    .datetime()
    .transform((text) => new Date(text))
    .refine((until) => until.getTime() <= Date.now() + unsignedDaysMax * dayMs, {
      error: `must be at most ${unsignedDaysMax} days ahead`,
    })
    .optional()
    .describe(
      'Accept events without a signature, of versions before 0.2.1, until this instant; unset: no such event is accepted',
    ),
}

export interface EventConsumerSettings {
  readonly EVENT_VERIFY_KEYS: AssertionKeys
  readonly EVENT_UNSIGNED_UNTIL?: Date | undefined
}

export const eventTrustOf = ({
  EVENT_VERIFY_KEYS: keys,
  EVENT_UNSIGNED_UNTIL: unsignedUntil,
}: EventConsumerSettings) => ({
  keys,
  unsignedUntil,
})
