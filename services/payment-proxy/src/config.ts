import { eventConsumerConfig, eventProducerConfig } from '@payments/chassis/assertion/event-keys'
import { httpsExceptInDevelopment, loadConfig, origin, wholeNumber } from '@payments/chassis/base/config'
import {
  allowPrivate,
  destinationPortList,
  dnsServers,
  egressProxy,
  privateInDevelopmentOnly,
} from '@payments/egress/config'
import type { HttpClientOptions } from '@payments/egress/http-client'
import { lookupThrough } from '@payments/egress/resolve'
import { callsConfig, serviceConfig } from '@payments/service/config'
import { z } from 'zod'

export const environment = z
  .object({
    ...serviceConfig,
    ...callsConfig('business-unit', 'invite-to-pay'),
    ...eventProducerConfig,
    ...eventConsumerConfig,
    PAY_BASE_URL: origin.describe('Origin of the bank of the sandbox, which the gateway serves; https except in dev'),
    PAYMENTS_ALLOW_PRIVATE_PROVIDERS: allowPrivate.describe(
      'Allow gateway_url with http and private addresses; only where ENVIRONMENT is dev',
    ),
    PROVIDER_DESTINATION_PORTS: destinationPortList.describe('Ports that gateway_url may use'),
    PROVIDER_DNS_SERVERS: dnsServers.describe(
      'DNS servers that resolve payment providers, e.g. 192.0.2.53,[2001:db8::53]:5353; empty: the name servers of the system',
    ),
    PAYMENT_CUSTOMER_RETENTION_DAYS: wholeNumber(0, 36_500)
      .refine(
        (days) => days === 0 || days >= 70,
        'must be 0 or at least 70: until then, an invitation to pay can be sent again',
      )
      .default(3_650)
      .describe(
        'Days without change after which transactions lose customer_details and recipient, paid or not, unless they are authorized or have an open operation; 0: never',
      ),
    PROVIDER_EGRESS_PROXY: egressProxy.describe(
      'HTTP proxy for requests to payment providers, e.g. http://user:password@proxy:3128',
    ),
  })
  .refine(...privateInDevelopmentOnly('PAYMENTS_ALLOW_PRIVATE_PROVIDERS'))
  .refine(...httpsExceptInDevelopment('PAY_BASE_URL'))

export type Config = z.output<typeof environment>

export const readConfig = (): Config => loadConfig(environment, process.env)

export const egressOptions = (config: Config): HttpClientOptions => ({
  allowPrivate: config.PAYMENTS_ALLOW_PRIVATE_PROVIDERS,
  ports: config.PROVIDER_DESTINATION_PORTS,
  lookup: lookupThrough(config.PROVIDER_DNS_SERVERS),
  proxy: config.PROVIDER_EGRESS_PROXY,
})
