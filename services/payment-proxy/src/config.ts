import { assertionKeys } from '@payments/chassis/assertion'
import { auditProducerConfig } from '@payments/chassis/audit-producer'
import { json, listenConfig, loadConfig, processConfig } from '@payments/chassis/config'
import { z } from 'zod'

export const environment = z.object({
  ...processConfig,
  ...listenConfig,
  DATABASE_URL: z.string().describe('PostgreSQL URL, with the role that owns no table'),
  AMQP_URL: z.string().describe('RabbitMQ URL'),
  ...auditProducerConfig,
  MESSAGING_PREFIX: z.string().default('').describe('prefix of the names of exchanges and queues'),
  ASSERTION_VERIFY_KEYS: json(assertionKeys).describe(
    'JSON: {caller: base64 key}; verifies the internal assertions of each caller',
  ),
})

export type Config = z.output<typeof environment>

export const readConfig = (): Config => loadConfig(environment, process.env)
