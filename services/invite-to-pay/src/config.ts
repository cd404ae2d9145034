import { eventConsumerConfig, eventProducerConfig } from '@payments/chassis/assertion/event-keys'
import { loadConfig, origin } from '@payments/chassis/base/config'
import { callsConfig, serviceConfig } from '@payments/service/config'
import { vaultConfig, vaultConfigIsWhole } from '@payments/vault/config'
import { z } from 'zod'

export const environment = z
  .object({
    ...serviceConfig,
    ...callsConfig('rbac', 'business-unit', 'payment-proxy', 'communication'),
    ...eventProducerConfig,
    ...eventConsumerConfig,
    ...vaultConfig,
    PAY_BASE_URL: origin.describe('Origin of the links that payers get, which the gateway serves; https except in dev'),
    CARD_PAGE_ORIGIN: origin
      .optional()
      .describe(
        'Origin of the card page with the fields of Stripe, which the gateway serves: another host than PAY_BASE_URL and CONSOLE_ORIGIN; https except in dev. Not set: payment orchestrators need pages of their own.',
      ),
  })
  .check(...vaultConfigIsWhole)
  .refine((config) => config.ENVIRONMENT === 'dev' || config.PAY_BASE_URL.startsWith('https:'), {
    path: ['PAY_BASE_URL'],
    message: 'must be https where ENVIRONMENT is not dev',
  })
  .refine((config) => config.ENVIRONMENT === 'dev' || config.CARD_PAGE_ORIGIN?.startsWith('https:') !== false, {
    path: ['CARD_PAGE_ORIGIN'],
    message: 'must be https where ENVIRONMENT is not dev',
  })
  .refine(
    (config) =>
      config.CARD_PAGE_ORIGIN === undefined || hostOf(config.CARD_PAGE_ORIGIN) !== hostOf(config.PAY_BASE_URL),
    {
      path: ['CARD_PAGE_ORIGIN'],
      message: 'must have another host than PAY_BASE_URL',
    },
  )

/** Undefined for a value that another rule rejects. */
const hostOf = (written: string) => (URL.canParse(written) ? new URL(written).host : undefined)

export type Config = z.output<typeof environment>

export const readConfig = (): Config => loadConfig(environment, process.env)
