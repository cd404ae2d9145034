import type { KeyObject } from 'node:crypto'
import { Agent, get } from 'node:http'
import { client } from '@payments/chassis/client'
import type { ReadinessCheck } from '@payments/chassis/health'
import type { Log } from '@payments/chassis/log'
import { contracts } from '@payments/contracts/all'
import { apiKey } from '@payments/contracts/api-key'
import { rbac } from '@payments/contracts/rbac'
import type { AuditSpool } from './audit/spool.ts'
import { createKeySet, loadFile, loadUrl } from './authorization/jwks.ts'
import { createTokenVerifier, type TokenIssuer } from './authorization/jwt-verifier.ts'
import { createResolver } from './authorization/resolver.ts'
import { createVersionReader, pauseForLastDuration } from './authorization/version-reader.ts'
import type { Config, IssuerConfig } from './config.ts'
import type { Deps } from './deps.ts'
import { createLimits } from './limits/limits.ts'
import { createUpstreamPermits } from './limits/upstream-permits.ts'
import { createForwarding, type Upstream } from './pipeline/forward.ts'
import { createRouteTable } from './route-table.ts'

const self = 'gateway'

/** How long an owner may take to say what a credential may do, or what has changed; a request waits for two such answers in a row at most. */
const authorityTimeoutMs = 2_000

/** From the configuration to everything the app stands on. Connects to nothing yet. */
export function assemble(config: Config, audit: AuditSpool, log: Log): Deps {
  const keys = config.ASSERTION_SIGN_KEYS
  const at = (baseUrl: string) => ({ self, keys, baseUrl, timeoutMs: authorityTimeoutMs }) as const
  const epochOf = (service: string, baseUrl: string) => ({
    readAuthorizationVersion: createVersionReader({
      service,
      baseUrl,
      key: signKey(config, service),
      timeoutMs: authorityTimeoutMs,
    }),
    pause: pauseForLastDuration,
  })
  const { API_KEY_URL: apiKeyUrl, RBAC_URL: rbacUrl } = config
  const sources = {
    apiKey: { ...client(apiKey, at(apiKeyUrl)), ...epochOf('api-key', apiKeyUrl) },
    rbac: { ...client(rbac, at(rbacUrl)), ...epochOf('rbac', rbacUrl) },
  }
  return {
    routes: createRouteTable(contracts),
    authority: createResolver({
      sources,
      tokens: createTokenVerifier(config.JWT_ISSUERS.map((issuer) => tokenIssuer(issuer, log))),
      environment: config.ENVIRONMENT,
      onKeyUsageFailure: (err) => log.warn({ err }, 'when keys were used cannot be recorded'),
    }),
    limits: createLimits(config, sources.apiKey, log),
    forwarding: createForwarding(upstreamsOf(config)),
    permitsOf: permitsOf(config),
    readiness: { 'api-key': answers(config.API_KEY_URL), rbac: answers(config.RBAC_URL), audit: audit.check },
    audit,
    log,
  }
}

function upstreamsOf(config: Config): ReadonlyMap<string, Upstream> {
  const urls: Readonly<Record<string, string>> = {
    'api-key': config.API_KEY_URL,
    rbac: config.RBAC_URL,
    webhooks: config.WEBHOOKS_URL,
    'payment-proxy': config.PAYMENT_PROXY_URL,
    audit: config.AUDIT_URL,
  }
  return new Map(
    contracts.map(({ service }) => {
      const url = urls[service]
      if (url === undefined) throw new Error(`no address of ${service}`)
      return [service, { url, key: signKey(config, service) }]
    }),
  )
}

/** Each service has permits of its own, so that one that hangs does not stop requests to the others. */
function permitsOf(config: Config): Deps['permitsOf'] {
  const limits = {
    permitsMax: config.UPSTREAM_REQUESTS_MAX,
    perTenantMax: config.UPSTREAM_REQUESTS_PER_TENANT_MAX,
    waitingMax: config.UPSTREAM_WAITING_MAX,
    waitMsMax: config.UPSTREAM_WAIT_MS_MAX,
  }
  const byService = new Map(contracts.map(({ service }) => [service as string, createUpstreamPermits(limits)]))
  return (service) => {
    const permits = byService.get(service)
    if (permits === undefined) throw new Error(`no permits of ${service}`)
    return permits
  }
}

function signKey(config: Config, service: string): KeyObject {
  const key = config.ASSERTION_SIGN_KEYS.get(service)
  if (key === undefined) throw new Error(`no assertion key for ${service}`)
  return key
}

function tokenIssuer(config: IssuerConfig, log: Log): TokenIssuer {
  const { jwks_file: file, jwks_url: url } = config
  return {
    issuer: config.issuer,
    audience: config.audience,
    algorithms: config.algorithms,
    keys: createKeySet({
      load: () => (file === undefined ? loadUrl(String(url)) : loadFile(file)),
      onFailure: (err) => log.warn({ err, issuer: config.issuer }, 'the keys of an issuer cannot be read'),
    }),
    tenantClaim: config.tenant_claim,
    rolesClaim: config.roles_claim,
    tenants: config.tenants === '*' ? '*' : new Set(config.tenants),
    lifetimeSecondsMax: config.lifetime_seconds_max,
  }
}

const readinessTimeoutMs = 1_500
const readinessAgent = new Agent({ keepAlive: false })

/**
 * Whether the owner is there; whether it is well is for its own readiness to say. The reason is read by anyone, so it
 * names no address and no error of the operating system.
 */
function answers(url: string): ReadinessCheck {
  return () =>
    new Promise((resolve) => {
      const request = get(`${url}/healthz`, { agent: readinessAgent, timeout: readinessTimeoutMs }, (response) => {
        response.resume()
        resolve(response.statusCode === 200 ? null : `answered ${response.statusCode}`)
      })
      request.on('timeout', () => {
        request.destroy()
        resolve(`did not answer within ${readinessTimeoutMs} ms`)
      })
      request.on('error', () => resolve('cannot be reached'))
    })
}
