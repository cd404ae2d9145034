import { assertionKeys } from '@payments/chassis/assertion/assertion'
import { auditProducerConfig } from '@payments/chassis/assertion/audit-producer'
import { eventConsumerConfig, eventProducerConfig } from '@payments/chassis/assertion/event-keys'
import { json, listenConfig, loadConfig, processConfig, tracingConfig } from '@payments/chassis/base/config'
import { allowPrivate, destinationPortList, dnsServers, egressProxy } from '@payments/egress/config'
import type { HttpClientOptions } from '@payments/egress/http-client'
import { lookupThrough } from '@payments/egress/resolve'
import { z } from 'zod'

const fields = z.object({
  ...processConfig,
  ...tracingConfig,
  ...listenConfig,
  DATABASE_URL: z.string().describe('PostgreSQL URL, with the role that owns no table'),
  AMQP_URL: z.string().describe('RabbitMQ URL'),
  ...auditProducerConfig,
  ...eventProducerConfig,
  ...eventConsumerConfig,
  MESSAGING_PREFIX: z.string().default('').describe('prefix of the names of exchanges and queues'),
  ASSERTION_VERIFY_KEYS: json(assertionKeys).describe(
    'JSON: {caller: base64 key}; verifies the internal assertions of each caller',
  ),
  BUSINESS_UNIT_URL: z.url().describe('Base URL of business-unit'),
  INVITE_TO_PAY_URL: z.url().describe('Base URL of invite-to-pay'),
  ASSERTION_SIGN_KEYS: json(assertionKeys).describe(
    'JSON object: service → base64 key that signs internal assertions to the service',
  ),
  PAYMENTS_ALLOW_PRIVATE_PROVIDERS: allowPrivate.describe(
    'Allow gateway_url with http and private addresses; only where ENVIRONMENT is dev',
  ),
  PROVIDER_DESTINATION_PORTS: destinationPortList.describe('Ports that gateway_url may use'),
  PROVIDER_DNS_SERVERS: dnsServers.describe(
    'DNS servers that resolve payment providers, e.g. 192.0.2.53,[2001:db8::53]:5353; empty: the name servers of the system',
  ),
  PROVIDER_EGRESS_PROXY: egressProxy.describe(
    'HTTP proxy for requests to payment providers, e.g. http://user:password@proxy:3128',
  ),
})

export const environment = fields.refine(
  (config) => config.ENVIRONMENT === 'dev' || !config.PAYMENTS_ALLOW_PRIVATE_PROVIDERS,
  { path: ['PAYMENTS_ALLOW_PRIVATE_PROVIDERS'], message: 'may be true only where ENVIRONMENT is dev' },
)

export type Config = z.output<typeof environment>

export const readConfig = (): Config => loadConfig(environment, process.env)

/** In production, a payment that moves no money would be taken for a paid one. */
export const acceptsTestMode = ({ ENVIRONMENT }: Pick<Config, 'ENVIRONMENT'>) => ENVIRONMENT !== 'prod'

export const egressOf = (config: Config): HttpClientOptions => ({
  allowPrivate: config.PAYMENTS_ALLOW_PRIVATE_PROVIDERS,
  ports: config.PROVIDER_DESTINATION_PORTS,
  lookup: lookupThrough(config.PROVIDER_DNS_SERVERS),
  proxy: config.PROVIDER_EGRESS_PROXY,
})
