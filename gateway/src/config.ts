import { assertionKeys } from '@payments/chassis/assertion'
import { auditProducerConfig } from '@payments/chassis/audit-producer'
import { ConfigError, json, listenConfig, loadConfig, port, processConfig } from '@payments/chassis/config'
import { id } from '@payments/contracts/field'
import { z } from 'zod'
import type { ConnectionLimits } from './limits/connections.ts'

const upstream = z.url({ protocol: /^http$/ }).transform((value) => value.replace(/\/+$/, ''))

/** A day: a token that lives longer is a credential that nobody can withdraw. */
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

const count = z.coerce.number().int().min(1).max(1_000_000_000)

export const environment = z.object({
  ...processConfig,
  ...listenConfig,
  INTERNAL_PORT: port.describe('port for /healthz, /readyz and /metrics, not for the public'),
  ASSERTION_SIGN_KEYS: json(assertionKeys).describe(
    'JSON: service → base64 key of 32 bytes that signs what goes to it',
  ),
  API_KEY_URL: upstream.describe('where the api-key service listens, http://host:port'),
  RBAC_URL: upstream.describe('where the rbac service listens'),
  WEBHOOKS_URL: upstream.describe('where the webhooks service listens'),
  PAYMENT_PROXY_URL: upstream.describe('where the payment-proxy service listens'),
  AUDIT_URL: upstream.describe('where the audit service listens'),
  AUDIT_DIRECTORY: z
    .string()
    .min(1)
    .describe('where audit records are kept until they are shipped; of this gateway alone'),
  AUDIT_FILE_BYTES_MAX: z.coerce
    .number()
    .int()
    .min(64 * 1024)
    .default(1024 * 1024 * 1024)
    .describe('how large that may grow while RabbitMQ is away; then requests are refused'),
  AMQP_URL: z.string().min(1).describe('RabbitMQ, for audit records'),
  ...auditProducerConfig,
  MESSAGING_PREFIX: z.string().default('').describe('what names of exchanges and queues begin with'),
  JWT_ISSUERS: json(z.array(issuer).max(16))
    .default([])
    .describe(
      'JSON: [{issuer, audience, algorithms, jwks_file | jwks_url, tenants, lifetime_seconds_max, tenant_claim, roles_claim}]; tenants: ids of the tenants it may speak for, or "*"; lifetime_seconds_max: longest time from iat to exp of a token, at most 86400',
    ),
  TRUSTED_PROXIES: z.coerce
    .number()
    .int()
    .min(0)
    .max(16)
    .optional()
    .describe(
      'number of trusted proxies before the gateway that each add to X-Forwarded-For; 0 in dev, required elsewhere',
    ),
  REQUESTS_PER_SECOND_PER_KEY: count.default(200).describe('how many requests a key, or a user, may make each second'),
  REQUEST_BURST_PER_KEY: count.default(400).describe('how many of them at once after a pause'),
  REQUESTS_PER_SECOND_PER_TENANT: count
    .default(2_000)
    .describe('how many requests a tenant may make each second, with all its keys and users'),
  REQUEST_BURST_PER_TENANT: count.default(2_000).describe('how many of them at once after a pause'),
  FAILED_AUTHENTICATIONS_PER_MINUTE: count
    .default(20)
    .describe('how often an address may fail to authenticate within a minute'),
  UNVERIFIED_REQUESTS_PER_MINUTE: count
    .default(300)
    .describe('requests without a verified credential that an address may make within a minute; more get 429'),
  REVEALS_PER_MINUTE: count
    .max(5)
    .default(5)
    .describe('how many secrets an actor may reveal within a minute, at most 5'),
  CONNECTIONS_MAX: count.default(5_000).describe('connections of clients in all; further ones are closed'),
  CONNECTIONS_PER_ADDRESS_MAX: count
    .default(500)
    .describe('connections of one address (IPv6: one /64); not applied where TRUSTED_PROXIES is above 0'),
  PIPELINED_REQUESTS_MAX: count
    .default(16)
    .describe('requests in progress on one connection; one more closes the connection'),
  UNFLUSHED_BYTES_PER_CONNECTION_MAX: count
    .default(8 * 1024 * 1024)
    .describe('bytes of responses that the client of a connection has not taken yet; more closes the connection'),
  UNFLUSHED_BYTES_MAX: count
    .default(128 * 1024 * 1024)
    .describe('such bytes of all connections; beyond, those with the most are closed'),
  RESPONSE_STALL_MS_MAX: count
    .default(10_000)
    .describe('time in milliseconds within which a client must take a part of its response'),
  UPSTREAM_REQUESTS_MAX: count.default(512).describe('requests in progress at one service'),
  UPSTREAM_REQUESTS_PER_TENANT_MAX: count.default(128).describe('requests of one tenant in progress at one service'),
  UPSTREAM_WAITING_MAX: count
    .default(1_024)
    .describe('requests that wait for one service, a quarter of them of one tenant; more get 429 or 503'),
  UPSTREAM_WAIT_MS_MAX: count.default(5_000).describe('time in milliseconds that a request may wait for a service'),
})

export type Config = z.output<typeof environment> & { readonly TRUSTED_PROXIES: number }

/** Throws ConfigError. Outside dev a wrong guess of TRUSTED_PROXIES would be a hole, so there is none. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const config = loadConfig(environment, env)
  if (config.TRUSTED_PROXIES === undefined && config.ENVIRONMENT !== 'dev') {
    throw new ConfigError(
      `The configuration is not usable:\n  TRUSTED_PROXIES: is not set — ${environment.shape.TRUSTED_PROXIES.description}`,
    )
  }
  return { ...config, TRUSTED_PROXIES: config.TRUSTED_PROXIES ?? 0 }
}

/** Behind trusted proxies a connection has the address of a proxy, which carries many clients. */
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
