import { assertionKeys } from '@payments/chassis/assertion'
import { auditProducerConfig } from '@payments/chassis/audit-producer'
import { json, listenConfig, loadConfig, processConfig } from '@payments/chassis/config'
import { z } from 'zod'
import type { SealKeys } from './domain/seal-keys.ts'

export const environment = z
  .object({
    ...processConfig,
    ...listenConfig,
    DATABASE_URL: z.string().describe('PostgreSQL, as the role that owns no table'),
    AMQP_URL: z.string().describe('RabbitMQ'),
    MESSAGING_PREFIX: z.string().default('').describe('what names of exchanges and queues begin with'),
    ASSERTION_VERIFY_KEYS: json(assertionKeys).describe('JSON: caller → base64 key of its assertions to us'),
    AUDIT_RETENTION_DAYS: z.coerce
      .number()
      .int()
      .min(7)
      .max(36_500)
      .default(400)
      .describe('how long records are kept; their seals are kept for ever'),
    AUDIT_SEAL_INTERVAL_MS: z.coerce
      .number()
      .int()
      .min(100)
      .max(60_000)
      .default(5_000)
      .describe('how often new records are sealed'),
    ...auditProducerConfig,
    AUDIT_MESSAGE_KEYS: json(assertionKeys).describe(
      'JSON: {producer: base64 key}; a message is stored when the HMAC of its producer verifies. Producers named gateway or gateway-… record requests, the others operators',
    ),
    AUDIT_SEAL_KEYS: json(assertionKeys).describe(
      'JSON: {id: base64 key of 32 bytes}; seals are computed with one of these keys. Keep earlier keys: verification needs them',
    ),
    AUDIT_SEAL_KEY_CURRENT: z.string().min(1).describe('the id of the key for new seals'),
    AUDIT_UNKEYED_SEALS_BEFORE: z.iso
      .datetime()
      .transform((text) => new Date(text))
      .optional()
      .describe(
        'seals without a key (made by versions before 0.2) are accepted when older than this instant; unset: none is',
      ),
    AUDIT_CHECKPOINT_DIRECTORY: z
      .string()
      .min(1)
      .optional()
      .describe('write-once storage for checkpoints, one file each; required unless ENVIRONMENT is dev'),
    AUDIT_CHECKPOINT_INTERVAL_MS: z.coerce
      .number()
      .int()
      .min(100)
      .max(24 * 60 * 60_000)
      .default(60_000)
      .describe('how often the newest seal of every chain is exported as a checkpoint'),
  })
  .refine(({ AUDIT_SEAL_KEYS: keys, AUDIT_SEAL_KEY_CURRENT: current }) => keys.has(current), {
    path: ['AUDIT_SEAL_KEY_CURRENT'],
    error: 'is not one of AUDIT_SEAL_KEYS',
  })
  .refine(
    ({ ENVIRONMENT, AUDIT_CHECKPOINT_DIRECTORY: directory }) => ENVIRONMENT === 'dev' || directory !== undefined,
    {
      path: ['AUDIT_CHECKPOINT_DIRECTORY'],
      error: 'is required unless ENVIRONMENT is dev',
    },
  )

export type Config = z.output<typeof environment>

export const readConfig = (): Config => loadConfig(environment, process.env)

export function sealKeysOf(config: Config): SealKeys {
  return {
    keys: config.AUDIT_SEAL_KEYS,
    current: config.AUDIT_SEAL_KEY_CURRENT,
    unkeyedBefore: config.AUDIT_UNKEYED_SEALS_BEFORE ?? null,
  }
}
