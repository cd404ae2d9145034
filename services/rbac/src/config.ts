import { assertionKeys } from '@payments/chassis/assertion'
import { auditProducerConfig } from '@payments/chassis/audit-producer'
import { json, listenConfig, loadConfig, processConfig } from '@payments/chassis/config'
import { z } from 'zod'

export const environment = z.object({
  ...processConfig,
  ...listenConfig,
  DATABASE_URL: z.string().describe('PostgreSQL, as the role that owns no table'),
  AMQP_URL: z.string().describe('RabbitMQ'),
  ...auditProducerConfig,
  MESSAGING_PREFIX: z.string().default('').describe('before the names of exchanges and queues'),
  API_KEY_URL: z.url().describe('address of api-key'),
  ASSERTION_VERIFY_KEYS: json(assertionKeys).describe('JSON: caller → base64 key of its assertions to us'),
  ASSERTION_SIGN_KEYS: json(assertionKeys).describe('JSON: service → base64 key of our assertions to it'),
})

export type Config = z.output<typeof environment>

export const readConfig = (): Config => loadConfig(environment, process.env)
