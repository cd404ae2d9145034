import { assertionKeys } from '@payments/chassis/assertion'
import { auditProducerConfig } from '@payments/chassis/audit-producer'
import { json, listenConfig, loadConfig, processConfig, tracingConfig } from '@payments/chassis/config'
import { eventProducerConfig } from '@payments/chassis/event-keys'
import { vaultConfig, vaultConfigIsWhole } from '@payments/vault/config'
import { z } from 'zod'

export const environment = z
  .object({
    ...processConfig,
    ...tracingConfig,
    ...listenConfig,
    DATABASE_URL: z.string().describe('URL of PostgreSQL, with a role that owns no table'),
    AMQP_URL: z.string().describe('URL of RabbitMQ'),
    MESSAGING_PREFIX: z.string().default('').describe('Prefix of the names of exchanges and queues'),
    ...auditProducerConfig,
    ...eventProducerConfig,
    ...vaultConfig,
    PAYMENTS_ALLOW_PRIVATE_PROVIDERS: z
      .enum(['true', 'false'])
      .default('false')
      .transform((value) => value === 'true')
      .describe('Allow URLs of providers with http and private addresses; only where ENVIRONMENT is dev'),
    ASSERTION_VERIFY_KEYS: json(assertionKeys).describe(
      'JSON object: caller → base64 key that verifies its internal assertions',
    ),
  })
  .check(...vaultConfigIsWhole)
  .refine((config) => config.ENVIRONMENT === 'dev' || !config.PAYMENTS_ALLOW_PRIVATE_PROVIDERS, {
    path: ['PAYMENTS_ALLOW_PRIVATE_PROVIDERS'],
    message: 'may be true only where ENVIRONMENT is dev',
  })

export type Config = z.output<typeof environment>

/** In production, a payment that moves no money would be taken for a paid one. */
export const acceptsTestMode = ({ ENVIRONMENT }: Pick<Config, 'ENVIRONMENT'>) => ENVIRONMENT !== 'prod'

export const readConfig = (): Config => loadConfig(environment, process.env)
