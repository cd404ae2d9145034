import { json } from '../base/config.ts'
import { assertionKeys } from './assertion.ts'

/** Variables of every process that publishes events. */
export const eventProducerConfig = {
  EVENT_SIGN_KEYS: json(assertionKeys).describe(
    'Keys that sign the events of this service for each consumer. JSON: {consumer: base64 key of 32 bytes}',
  ),
}

/** Variables of every process that consumes events. */
export const eventConsumerConfig = {
  EVENT_VERIFY_KEYS: json(assertionKeys).describe(
    'Keys that verify the events of each producer. JSON: {producer: base64 key of 32 bytes}. During a rotation, a producer has a second key, such as rbac-2',
  ),
}
