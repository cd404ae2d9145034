import { assertionKeys } from '@payments/chassis/assertion/assertion'
import { auditProducerConfig } from '@payments/chassis/assertion/audit-producer'
import { eventProducerConfig } from '@payments/chassis/assertion/event-keys'
import { json, listenConfig, loadConfig, processConfig, tracingConfig } from '@payments/chassis/base/config'
import { vaultConfig, vaultConfigIsWhole } from '@payments/vault/config'
import { keyRing } from '@payments/vault/key-ring'
import { z } from 'zod'

export const environment = z
  .object({
    ...processConfig,
    ...tracingConfig,
    ...listenConfig,
    DATABASE_URL: z.string().describe('URL of PostgreSQL, with a role that owns no table'),
    AMQP_URL: z.string().describe('URL of RabbitMQ'),
    ...auditProducerConfig,
    ...eventProducerConfig,
    MESSAGING_PREFIX: z.string().default('').describe('prefix of the names of exchanges and queues'),
    RBAC_URL: z.url().describe('base URL of rbac'),
    ASSERTION_VERIFY_KEYS: json(assertionKeys).describe('JSON: caller → base64 key of its internal assertions'),
    ASSERTION_SIGN_KEYS: json(assertionKeys).describe(
      'JSON: service → base64 key for internal assertions to the service',
    ),
    ...vaultConfig,
    API_KEY_PEPPERS: keyRing.describe(
      'JSON: pepper id → base64 of 32 random bytes; HMAC keys of the index of API keys',
    ),
    API_KEY_PEPPER_CURRENT: z.string().describe('id of the pepper that indexes new API keys'),
  })
  .check(...vaultConfigIsWhole)
  .refine((config) => config.API_KEY_PEPPERS.has(config.API_KEY_PEPPER_CURRENT), {
    path: ['API_KEY_PEPPER_CURRENT'],
    message: 'must be the id of one of API_KEY_PEPPERS',
  })

export type Config = z.output<typeof environment>

export const readConfig = (): Config => loadConfig(environment, process.env)
