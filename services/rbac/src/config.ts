import { assertionKeys } from '@payments/chassis/assertion/assertion'
import { auditProducerConfig } from '@payments/chassis/assertion/audit-producer'
import { eventProducerConfig } from '@payments/chassis/assertion/event-keys'
import { json, listenConfig, loadConfig, processConfig, tracingConfig } from '@payments/chassis/base/config'
import { z } from 'zod'

export const environment = z.object({
  ...processConfig,
  ...tracingConfig,
  ...listenConfig,
  DATABASE_URL: z.string().describe('URL of PostgreSQL, with a role that owns no table'),
  AMQP_URL: z.string().describe('URL of RabbitMQ'),
  ...auditProducerConfig,
  ...eventProducerConfig,
  MESSAGING_PREFIX: z.string().default('').describe('prefix of the names of exchanges and queues'),
  API_KEY_URL: z.url().describe('base URL of api-key'),
  ASSERTION_VERIFY_KEYS: json(assertionKeys).describe('JSON: caller → base64 key of its internal assertions'),
  ASSERTION_SIGN_KEYS: json(assertionKeys).describe(
    'JSON: service → base64 key for internal assertions to the service',
  ),
})

export type Config = z.output<typeof environment>

export const readConfig = (): Config => loadConfig(environment, process.env)
