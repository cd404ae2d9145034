import { assertionKeys } from '@payments/chassis/assertion/assertion'
import { auditProducerConfig } from '@payments/chassis/assertion/audit-producer'
import { eventProducerConfig } from '@payments/chassis/assertion/event-keys'
import { json, listenConfig, loadConfig, processConfig, tracingConfig } from '@payments/chassis/base/config'
import { connectorNames } from '@payments/contracts/nouns/payment-connectors'
import { vaultConfig, vaultConfigIsWhole } from '@payments/vault/config'
import { z } from 'zod'

const origin = z
  .url({ protocol: /^https?$/ })
  .transform((written) => new URL(written))
  .refine(({ href, origin: itself }) => href === `${itself}/`, 'must be an origin, such as https://cards.example.com')
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
    ...vaultConfig,
    PAYMENTS_ALLOW_PRIVATE_PROVIDERS: z
      .enum(['true', 'false'])
      .default('false')
      .transform((value) => value === 'true')
      .describe('Allow URLs of providers with http and private addresses; only where ENVIRONMENT is dev'),
    PAY_BASE_URL: origin.describe(
      'Origin of the pay pages, which no payment orchestrator may use; https except in dev',
    ),
    CARD_PAGE_ORIGINS: json(z.partialRecord(z.enum(connectorNames), z.array(origin).max(100)))
      .default({})
      .describe(
        'JSON object: connector → origins of its card pages and tokenizers, e.g. {"http":["https://cards.example.com"]}. Outside dev, payment orchestrators have no others.',
      ),
    ASSERTION_VERIFY_KEYS: json(assertionKeys).describe(
      'JSON object: caller → base64 key that verifies its internal assertions',
    ),
  })
  .check(...vaultConfigIsWhole)
  .refine((config) => config.ENVIRONMENT === 'dev' || !config.PAYMENTS_ALLOW_PRIVATE_PROVIDERS, {
    path: ['PAYMENTS_ALLOW_PRIVATE_PROVIDERS'],
    message: 'may be true only where ENVIRONMENT is dev',
  })
  .refine((config) => config.ENVIRONMENT === 'dev' || originsOf(config).every((one) => one.startsWith('https:')), {
    path: ['PAY_BASE_URL', 'CARD_PAGE_ORIGINS'],
    message: 'must be https where ENVIRONMENT is not dev',
  })

const originsOf = (config: {
  readonly PAY_BASE_URL: string
  readonly CARD_PAGE_ORIGINS: Readonly<Partial<Record<string, readonly string[]>>>
}) => [config.PAY_BASE_URL, ...Object.values(config.CARD_PAGE_ORIGINS).flatMap((origins) => origins ?? [])]

export type Config = z.output<typeof environment>

/** In production, a payment that moves no money would be taken for a paid one. */
export const acceptsTestMode = ({ ENVIRONMENT }: Pick<Config, 'ENVIRONMENT'>) => ENVIRONMENT !== 'prod'

export const readConfig = (): Config => loadConfig(environment, process.env)
