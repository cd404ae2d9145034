import { assertionKeys } from '@payments/chassis/assertion'
import { json, listenConfig, loadConfig, processConfig } from '@payments/chassis/config'
import { z } from 'zod'

export const environment = z.object({
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
})

export type Config = z.output<typeof environment>

export const readConfig = (): Config => loadConfig(environment, process.env)
