import { eventProducerConfig } from '@payments/chassis/assertion/event-keys'
import { json, loadConfig, origin } from '@payments/chassis/base/config'
import { connectorNames } from '@payments/contracts/nouns/payment-connectors'
import { allowPrivate, privateInDevelopmentOnly } from '@payments/egress/config'
import { serviceConfig } from '@payments/service/config'
import { vaultConfig, vaultConfigIsWhole } from '@payments/vault/config'
import { z } from 'zod'
import type { CardPageRules } from './domain/card-page.ts'

export const environment = z
  .object({
    ...serviceConfig,
    ...eventProducerConfig,
    ...vaultConfig,
    PAYMENTS_ALLOW_PRIVATE_PROVIDERS: allowPrivate.describe(
      'Allow URLs of providers with http and private addresses; only where ENVIRONMENT is dev',
    ),
    PAY_BASE_URL: origin.describe(
      'Origin of the pay pages, which no payment orchestrator may use; https except in dev',
    ),
    CARD_PAGE_ORIGINS: json(z.partialRecord(z.enum(connectorNames), z.array(origin).max(100)))
      .default({})
      .describe(
        'JSON object: connector → origins of its card pages and tokenizers, e.g. {"http":["https://cards.example.com"]}. Outside dev, payment orchestrators have no others.',
      ),
  })
  .check(...vaultConfigIsWhole)
  .refine(...privateInDevelopmentOnly('PAYMENTS_ALLOW_PRIVATE_PROVIDERS'))
  .refine((config) => config.ENVIRONMENT === 'dev' || listOrigins(config).every((one) => one.startsWith('https:')), {
    path: ['PAY_BASE_URL', 'CARD_PAGE_ORIGINS'],
    message: 'must be https where ENVIRONMENT is not dev',
  })

const listOrigins = (config: {
  readonly PAY_BASE_URL: string
  readonly CARD_PAGE_ORIGINS: Readonly<Partial<Record<string, readonly string[]>>>
}) => [config.PAY_BASE_URL, ...Object.values(config.CARD_PAGE_ORIGINS).flatMap((origins) => origins ?? [])]

/** The rules of card pages. */
export const toCardPageRules = (config: Config): CardPageRules => ({
  origins: config.CARD_PAGE_ORIGINS,
  listedOnly: config.ENVIRONMENT !== 'dev',
  ownOrigin: config.PAY_BASE_URL,
})

export type Config = z.output<typeof environment>

export const readConfig = (): Config => loadConfig(environment, process.env)
