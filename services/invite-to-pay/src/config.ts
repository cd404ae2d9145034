import { assertionKeys } from '@payments/chassis/assertion/assertion'
import { auditProducerConfig } from '@payments/chassis/assertion/audit-producer'
import { eventConsumerConfig, eventProducerConfig } from '@payments/chassis/assertion/event-keys'
import { json, listenConfig, loadConfig, processConfig, tracingConfig } from '@payments/chassis/base/config'
import { vaultConfig, vaultConfigIsWhole } from '@payments/vault/config'
import { z } from 'zod'

const origin = z
  .url({ protocol: /^https?$/ })
  .transform((written) => new URL(written))
  .refine(
    ({ href, origin: itself }) => href === `${itself}/`,
    'must be an origin, such as https://pay.example.com, without path and credentials',
  )
  .transform(({ origin: itself }) => itself)

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
    ...eventConsumerConfig,
    ...vaultConfig,
    PAY_BASE_URL: origin.describe('Origin of the links that payers get, which the gateway serves; https except in dev'),
    RBAC_URL: z.url().describe('Base URL of rbac'),
    BUSINESS_UNIT_URL: z.url().describe('Base URL of business-unit'),
    PAYMENT_PROXY_URL: z.url().describe('Base URL of payment-proxy'),
    COMMUNICATION_URL: z.url().describe('Base URL of communication'),
    ASSERTION_VERIFY_KEYS: json(assertionKeys).describe(
      'JSON object: caller → base64 key that verifies its internal assertions',
    ),
    ASSERTION_SIGN_KEYS: json(assertionKeys).describe(
      'JSON object: service → base64 key for internal assertions to the service',
    ),
  })
  .check(...vaultConfigIsWhole)
  .refine((config) => config.ENVIRONMENT === 'dev' || config.PAY_BASE_URL.startsWith('https:'), {
    path: ['PAY_BASE_URL'],
    message: 'must be https where ENVIRONMENT is not dev',
  })

export type Config = z.output<typeof environment>

/** In production, a payment that moves no money would be taken for a paid one. */
export const acceptsTestMode = ({ ENVIRONMENT }: Pick<Config, 'ENVIRONMENT'>): boolean => ENVIRONMENT !== 'prod'

export const readConfig = (): Config => loadConfig(environment, process.env)
