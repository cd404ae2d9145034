import { auditProducerConfig } from '@payments/chassis/assertion/audit-producer'
import {
  amqpUrl,
  httpsExceptInDevelopment,
  json,
  listenConfig,
  loadConfig,
  origin,
  port,
  processConfig,
  tracingConfig,
  wholeNumber,
} from '@payments/chassis/base/config'
import { serviceUrlsConfig, signKeysConfig } from '@payments/chassis/client/service-urls'
import { serviceNames } from '@payments/contracts/edges/contracts'
import { id } from '@payments/contracts/grammar/field'
import { sessionIssuer } from '@payments/contracts/grammar/session-value'
import { z } from 'zod'
import type { ConnectionLimits } from './limits/connections.ts'

const upstream = z.url({ protocol: /^http$/ }).transform((value) => value.replace(/\/+$/, ''))

/** One day. A token of another issuer cannot be revoked, so its lifetime is limited. */
const lifetimeSecondsMax = 86_400
const lifetimeError = `lifetime_seconds_max must be a whole number of seconds from 1 to ${lifetimeSecondsMax}`

const issuer = z
  .strictObject({
    issuer: z.string().min(1),
    audience: z.string().min(1),
    algorithms: z
      .array(z.enum(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512']))
      .min(1),
    jwks_file: z.string().min(1).optional(),
    jwks_url: z
      .url({ protocol: /^https?$/ })
      .refine((url) => /^https:|^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)[:/]/.test(url), 'must be https')
      .optional(),
    tenant_claim: z.string().min(1).default('tenant_id'),
    roles_claim: z.string().min(1).default('roles'),
    tenants: z.union([z.literal('*'), z.array(id).min(1).max(1_000)], {
      error: 'tenants must be a list of tenant ids, or "*" for every tenant',
    }),
    lifetime_seconds_max: z
      .int({ error: lifetimeError })
      .min(1, { error: lifetimeError })
      .max(lifetimeSecondsMax, { error: lifetimeError }),
  })
  .refine((given) => (given.jwks_file === undefined) !== (given.jwks_url === undefined), {
    error: 'each issuer has either jwks_file or jwks_url',
  })

export type IssuerConfig = z.output<typeof issuer>

const count = wholeNumber(1, 1_000_000_000)

const variables = z.object({
  ...processConfig,
  ...tracingConfig,
  ...listenConfig,
  INTERNAL_PORT: port.describe('Port of /healthz, /readyz and /metrics. Must not be public.'),
  ...signKeysConfig,
  ...serviceUrlsConfig(serviceNames, upstream),
  AUDIT_DIRECTORY: z.string().min(1).describe('Directory of the audit spool. Only one gateway may use the directory.'),
  AUDIT_FILE_BYTES_MAX: wholeNumber(64 * 1024, Number.MAX_SAFE_INTEGER)
    .default(1024 * 1024 * 1024)
    .describe('Maximum bytes of the audit spool. Beyond, requests get 503 until RabbitMQ confirms records.'),
  AMQP_URL: amqpUrl.describe('URL of RabbitMQ, which receives the audit records.'),
  ...auditProducerConfig,
  MESSAGING_PREFIX: z.string().default('').describe('Prefix of the names of exchanges and queues.'),
  JWT_ISSUERS: json(z.array(issuer).max(16))
    .default([])
    .describe(
      'Trusted JWT issuers. JSON: [{issuer, audience, algorithms, jwks_file | jwks_url, tenants, lifetime_seconds_max, tenant_claim, roles_claim}]. tenants: ids of the tenants that the issuer may authenticate, or "*". lifetime_seconds_max: maximum seconds from iat to exp of a token, at most 86400. A subject is one user of a tenant, whichever of its issuers names the subject.',
    ),
  CONSOLE_ORIGIN: origin
    .optional()
    .describe(
      'Origin at which browsers open /console and /session; https except in dev. Only there a session cookie is a credential. The proxies must pass on the Host of the browser. Not set: no one can sign in.',
    ),
  API_ORIGIN: origin
    .optional()
    .describe(
      'Origin at which tenants call the API, which the pages of the documentation show. Default: http://127.0.0.1 and PORT.',
    ),
  CARD_PAGE_ORIGIN: origin
    .optional()
    .describe(
      'Origin at which the gateway serves the card page, /pay/card, and nothing else: another host than PAY_BASE_URL and CONSOLE_ORIGIN; https except in dev. The proxies must pass on the Host of the browser. Not set: no card page is served.',
    ),
  TRUSTED_PROXIES: wholeNumber(0, 16)
    .optional()
    .describe(
      'Number of trusted proxies in front of the gateway. Each must append to X-Forwarded-For. Default 0 in dev, required otherwise.',
    ),
  STRICT_TRANSPORT_SECURITY_SECONDS: wholeNumber(0, 63_072_000)
    .optional()
    .describe(
      'Seconds in which browsers use https only (Strict-Transport-Security of each response); 0 for none. Default 0 in dev, 31536000 (one year) otherwise.',
    ),
  REQUESTS_PER_SECOND_PER_KEY: count.default(200).describe('Requests per second of one API key or user.'),
  REQUEST_BURST_PER_KEY: count
    .default(400)
    .describe('Requests that one API key or user may send at once after a pause.'),
  REQUESTS_PER_SECOND_PER_TENANT: count
    .default(2_000)
    .describe('Requests per second of one tenant, all keys and users together.'),
  REQUEST_BURST_PER_TENANT: count.default(2_000).describe('Requests that one tenant may send at once after a pause.'),
  FAILED_AUTHENTICATIONS_PER_MINUTE: count
    .default(20)
    .describe('Requests with a wrong credential per minute of one address. Beyond, the address gets 429.'),
  UNVERIFIED_REQUESTS_PER_MINUTE: count
    .default(300)
    .describe('Requests per minute of one address without a verified credential. Beyond, such requests get 429.'),
  PROVIDER_WEBHOOKS_PER_MINUTE: count
    .default(6_000)
    .describe(
      'Webhooks of payment providers and back-channel logouts per minute of one address (IPv6: per /64). Beyond: 429.',
    ),
  REVEALS_PER_MINUTE: count.max(5).default(5).describe('Reveals per minute of one actor, at most 5.'),
  CONNECTIONS_MAX: count.default(5_000).describe('Maximum client connections. The gateway closes further connections.'),
  CONNECTIONS_PER_ADDRESS_MAX: count
    .default(500)
    .describe('Maximum connections per address (IPv6: per /64). Not applied when TRUSTED_PROXIES is above 0.'),
  PIPELINED_REQUESTS_MAX: count
    .default(16)
    .describe('Maximum requests in progress on one connection. One more closes the connection.'),
  UNFLUSHED_BYTES_PER_CONNECTION_MAX: count
    .default(20 * 1024 * 1024)
    .describe(
      'Maximum response bytes that the client of a connection has not read. More closes the connection. A response that is a secret has up to 16 MiB and is sent at once.',
    ),
  UNFLUSHED_BYTES_MAX: count
    .default(128 * 1024 * 1024)
    .describe('Maximum unread response bytes of all connections. Beyond, the connections with the most are closed.'),
  RESPONSE_STALL_MS_MAX: count
    .default(10_000)
    .describe('Milliseconds in which a client must read a part of its response.'),
  UPSTREAM_REQUESTS_MAX: count.default(512).describe('Maximum requests of tenants in progress at one service.'),
  UPSTREAM_REQUESTS_PER_TENANT_MAX: count
    .default(128)
    .describe('Maximum requests of one tenant in progress at one service.'),
  UPSTREAM_ANONYMOUS_REQUESTS_MAX: count
    .default(256)
    .describe('Maximum requests without a credential in progress at one service, beside those of tenants.'),
  UPSTREAM_REQUESTS_PER_ADDRESS_MAX: count
    .default(32)
    .describe('Maximum requests without a credential of one address (IPv6: per /64) in progress at one service.'),
  UPSTREAM_WAITING_MAX: count
    .default(1_024)
    .describe(
      'Maximum requests that wait for one service, a quarter of them of one tenant. More get 429 or 503. Requests without a credential count apart, by their address.',
    ),
  UPSTREAM_WAIT_MS_MAX: count.default(5_000).describe('Maximum milliseconds that a request waits for a service.'),
})

export const environment = variables
  .refine(
    ({ ENVIRONMENT, JWT_ISSUERS }) => JWT_ISSUERS.every(({ issuer: name }) => name !== sessionIssuer(ENVIRONMENT)),
    { path: ['JWT_ISSUERS'], message: 'must not name the issuer of the JWTs of sessions' },
  )
  .refine(...httpsExceptInDevelopment('CONSOLE_ORIGIN'))
  .refine(...httpsExceptInDevelopment('CARD_PAGE_ORIGIN'))
  .refine(
    ({ CARD_PAGE_ORIGIN: one, CONSOLE_ORIGIN: other }) =>
      one === undefined || other === undefined || readHost(one) !== readHost(other),
    { path: ['CARD_PAGE_ORIGIN'], message: 'must have another host than CONSOLE_ORIGIN' },
  )
  // No default outside dev: a wrong value lets clients forge addresses.
  .refine(({ ENVIRONMENT, TRUSTED_PROXIES }) => ENVIRONMENT === 'dev' || TRUSTED_PROXIES !== undefined, {
    path: ['TRUSTED_PROXIES'],
    message: 'is not set',
  })

/** Undefined for a value that another rule rejects. */
const readHost = (written: string) => (URL.canParse(written) ? new URL(written).host : undefined)

export type Config = z.output<typeof environment> & { readonly TRUSTED_PROXIES: number }

/** Throws ConfigError. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const config = loadConfig(environment, env)
  return { ...config, TRUSTED_PROXIES: config.TRUSTED_PROXIES ?? 0 }
}

/**
 * Behind trusted proxies, the address of a connection is a proxy with many clients, so no limit per address applies.
 */
export function connectionLimits(config: Config): ConnectionLimits {
  return {
    connectionsMax: config.CONNECTIONS_MAX,
    perAddressMax: config.TRUSTED_PROXIES > 0 ? config.CONNECTIONS_MAX : config.CONNECTIONS_PER_ADDRESS_MAX,
    pipelinedMax: config.PIPELINED_REQUESTS_MAX,
    unflushedBytesPerConnectionMax: config.UNFLUSHED_BYTES_PER_CONNECTION_MAX,
    unflushedBytesMax: config.UNFLUSHED_BYTES_MAX,
    stallMs: config.RESPONSE_STALL_MS_MAX,
  }
}
