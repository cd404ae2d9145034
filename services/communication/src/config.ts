import { createSecretKey } from 'node:crypto'
import { eventConsumerConfig, eventProducerConfig } from '@payments/chassis/assertion/event-keys'
import { httpsExceptInDevelopment, loadConfig } from '@payments/chassis/base/config'
import { callsConfig, serviceConfig } from '@payments/service/config'
import { payerHashConfig, payerHashConfigIsWhole } from '@payments/service/payers/hashes'
import { z } from 'zod'

/** `whsec_` and base64 of 24 to 64 bytes, as Standard Webhooks writes a secret. */
const httpSecret = z
  .string()
  .regex(/^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/, 'must be whsec_ and base64 of 24 to 64 bytes')
  .transform((written) => createSecretKey(Buffer.from(written.slice('whsec_'.length), 'base64')))

const smtpUrl = z
  .url({ protocol: /^smtps?$/, hostname: /.+/ })
  .transform((written) => new URL(written))
  .refine(({ username, password }) => username === '' && password === '', 'must have no credentials')

const count = z.coerce.number().int().min(1).max(1_000_000)

type ProviderVariable = 'COMMUNICATION_EMAIL_PROVIDER' | 'COMMUNICATION_SMS_PROVIDER'
type ChosenProviders = Readonly<Record<ProviderVariable, string>>
type Rule<Config> = [(config: Config) => boolean, { path: string[]; message: string }]

const usesHttp = (config: ChosenProviders) =>
  config.COMMUNICATION_EMAIL_PROVIDER === 'http' || config.COMMUNICATION_SMS_PROVIDER === 'http'

const outboxInDevelopment = (name: ProviderVariable): Rule<ChosenProviders & { readonly ENVIRONMENT: string }> => [
  (config) => config.ENVIRONMENT === 'dev' || config[name] !== 'outbox',
  { path: [name], message: 'may be outbox only where ENVIRONMENT is dev' },
]

const requiredWhere = <const Name extends string>(
  name: Name,
  isNeeded: (config: ChosenProviders) => boolean,
): Rule<ChosenProviders & Readonly<Partial<Record<Name, unknown>>>> => [
  (config) => !isNeeded(config) || config[name] !== undefined,
  { path: [name], message: 'is not set' },
]

export const environment = z
  .object({
    ...serviceConfig,
    ...callsConfig('business-unit'),
    ...eventProducerConfig,
    ...eventConsumerConfig,
    ...payerHashConfig,
    COMMUNICATION_EMAIL_PROVIDER: z
      .enum(['outbox', 'smtp', 'http'])
      .describe('Provider of EMAIL: outbox (stores messages; only where ENVIRONMENT is dev), smtp or http'),
    COMMUNICATION_SMS_PROVIDER: z
      .enum(['outbox', 'http'])
      .describe('Provider of SMS: outbox (stores messages; only where ENVIRONMENT is dev) or http'),
    COMMUNICATION_FROM_ADDRESS: z
      .email()
      .max(320)
      .optional()
      .describe('Address that email is sent from. Required by smtp, and by http for EMAIL.'),
    COMMUNICATION_SMTP_URL: smtpUrl
      .optional()
      .describe('SMTP server: smtps://host:465 (TLS) or smtp://host:587 (STARTTLS, required except in dev)'),
    COMMUNICATION_SMTP_USERNAME: z.string().max(500).optional().describe('User name at the SMTP server'),
    COMMUNICATION_SMTP_PASSWORD: z.string().max(500).optional().describe('Password at the SMTP server'),
    COMMUNICATION_HTTP_URL: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe('URL that the http provider POSTs messages to; https except in dev'),
    COMMUNICATION_TENANT_PER_MINUTE_MAX: count
      .default(1_200)
      .describe('Messages of one tenant at once; beyond them, this many a minute, evenly'),
    COMMUNICATION_RECIPIENT_OF_TENANT_PER_HOUR_MAX: count
      .default(20)
      .describe('Messages of one tenant to one recipient at once; beyond them, this many an hour, evenly'),
    COMMUNICATION_RECIPIENT_PER_HOUR_MAX: count
      .default(60)
      .describe(
        'Messages of all tenants to one recipient at once, without receipts and the shares of tenants; beyond them, this many an hour, evenly',
      ),
    COMMUNICATION_RECIPIENT_SHARE_OF_TENANT_PER_HOUR: z.coerce
      .number()
      .int()
      .min(0)
      .max(1_000_000)
      .default(5)
      .describe('Messages an hour of each tenant to one recipient that other tenants cannot delay; 0: none'),
    COMMUNICATION_RETENTION_DAYS: z.coerce
      .number()
      .int()
      .min(0)
      .max(3_650)
      .default(90)
      .describe('Days after which sent and failed messages lose recipient and provider message id; 0: never'),
    COMMUNICATION_HTTP_SECRET: httpSecret.optional().describe('Signing secret of the http provider: whsec_ and base64'),
  })
  .check(payerHashConfigIsWhole)
  .refine(...outboxInDevelopment('COMMUNICATION_EMAIL_PROVIDER'))
  .refine(...outboxInDevelopment('COMMUNICATION_SMS_PROVIDER'))
  .refine(...requiredWhere('COMMUNICATION_FROM_ADDRESS', (config) => config.COMMUNICATION_EMAIL_PROVIDER !== 'outbox'))
  .refine(...requiredWhere('COMMUNICATION_SMTP_URL', (config) => config.COMMUNICATION_EMAIL_PROVIDER === 'smtp'))
  .refine(...requiredWhere('COMMUNICATION_HTTP_URL', usesHttp))
  .refine(...requiredWhere('COMMUNICATION_HTTP_SECRET', usesHttp))
  .refine(
    ({ COMMUNICATION_SMTP_USERNAME: user, COMMUNICATION_SMTP_PASSWORD: pass }) =>
      (user === undefined) === (pass === undefined),
    {
      path: ['COMMUNICATION_SMTP_PASSWORD'],
      message: 'must be set together with COMMUNICATION_SMTP_USERNAME',
    },
  )
  .refine(...httpsExceptInDevelopment('COMMUNICATION_HTTP_URL'))

export type Config = z.output<typeof environment>

export const readConfig = (): Config => loadConfig(environment, process.env)

/** Messages at once; beyond them, one each period divided by the number. */
export const messageRates = (config: Config) => ({
  perTenantAndMinute: config.COMMUNICATION_TENANT_PER_MINUTE_MAX,
  perTenantRecipientAndHour: config.COMMUNICATION_RECIPIENT_OF_TENANT_PER_HOUR_MAX,
  /** Of each tenant, beyond which `perRecipientAndHour` counts its messages. 0: it counts each. */
  shareOfTenantAndHour: config.COMMUNICATION_RECIPIENT_SHARE_OF_TENANT_PER_HOUR,
  /** Of all tenants together. Receipts, and the shares of tenants, do not count. */
  perRecipientAndHour: config.COMMUNICATION_RECIPIENT_PER_HOUR_MAX,
})
