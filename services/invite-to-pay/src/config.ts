import { eventConsumerConfig, eventProducerConfig } from '@payments/chassis/assertion/event-keys'
import { httpsExceptInDevelopment, loadConfig, origin, wholeNumber } from '@payments/chassis/base/config'
import { lifetimeHoursMax } from '@payments/contracts/services/invite-to-pay/contract'
import { callsConfig, serviceConfig } from '@payments/service/config'
import { payerHashConfig, payerHashConfigIsWhole } from '@payments/service/payers/hashes'
import { vaultConfig, vaultConfigIsWhole } from '@payments/vault/config'
import { z } from 'zod'

export const environment = z
  .object({
    ...serviceConfig,
    ...callsConfig('rbac', 'business-unit', 'payment-proxy', 'communication'),
    ...eventProducerConfig,
    ...eventConsumerConfig,
    ...payerHashConfig,
    ...vaultConfig,
    INVITE_TO_PAY_RETENTION_DAYS: wholeNumber(0, 3_650)
      .refine(
        (days) => days === 0 || days >= lifetimeHoursMax / 24,
        'must be 0 or at least 70: until then, a code can be sent again',
      )
      .default(365)
      .describe('Days after their last change after which ended codes lose recipient and details; 0: never'),
    PAY_BASE_URL: origin.describe('Origin of the links that payers get, which the gateway serves; https except in dev'),
    CARD_PAGE_ORIGIN: origin
      .optional()
      .describe(
        'Origin of the card page with the fields of Stripe, which the gateway serves: another host than PAY_BASE_URL and CONSOLE_ORIGIN; https except in dev. Not set: payment orchestrators need pages of their own.',
      ),
  })
  .check(...vaultConfigIsWhole)
  .check(payerHashConfigIsWhole)
  .refine(...httpsExceptInDevelopment('PAY_BASE_URL'))
  .refine(...httpsExceptInDevelopment('CARD_PAGE_ORIGIN'))
  .refine(
    (config) =>
      config.CARD_PAGE_ORIGIN === undefined || parseHost(config.CARD_PAGE_ORIGIN) !== parseHost(config.PAY_BASE_URL),
    {
      path: ['CARD_PAGE_ORIGIN'],
      message: 'must have another host than PAY_BASE_URL',
    },
  )

/** Undefined for a value that another rule rejects. */
const parseHost = (written: string) => (URL.canParse(written) ? new URL(written).host : undefined)

export type Config = z.output<typeof environment>

export const readConfig = (): Config => loadConfig(environment, process.env)
