import { Agent, get } from 'node:http'
import type { FairPermits } from '@payments/chassis/base/fair-permits'
import { newId } from '@payments/chassis/base/id'
import { type Client, client } from '@payments/chassis/client/client'
import type { Log } from '@payments/chassis/observability/log'
import { type RequestFilter, requestFilter } from '@payments/chassis/observability/request-filter'
import type { Readiness, ReadinessCheck } from '@payments/chassis/process/health'
import type { Metrics } from '@payments/chassis/process/metrics'
import { contracts, serviceNames } from '@payments/contracts/edges/contracts'
import { urlVariable } from '@payments/contracts/edges/service-urls'
import { apiKey } from '@payments/contracts/services/api-key/contract'
import { identityContract } from '@payments/contracts/services/identity/contract'
import { rbac } from '@payments/contracts/services/rbac/contract'
import type { AuditSpool } from './audit/spool.ts'
import { createKeySet, loadFile, loadUrl } from './authorization/jwks.ts'
import { createTokenVerifier, sessionTokenIssuer, type TokenIssuer } from './authorization/jwt-verifier.ts'
import { createLeaseClient, versionReader } from './authorization/lease-client.ts'
import { createLeaseMetrics } from './authorization/metrics.ts'
import { createResolver, type Resolver } from './authorization/resolver.ts'
import type { Config, IssuerConfig } from './config.ts'
import { createLimits, type Limits } from './limits/limits.ts'
import { createUpstreamPermits } from './limits/upstream-permits.ts'
import { createWaits, type Waits } from './limits/waits.ts'
import type { Addresses } from './pages/addresses.ts'
import { createForwarding, type Forwarding, type Upstream } from './pipeline/forward.ts'
import { createHosts, type Hosts } from './pipeline/hosts.ts'
import { createRouteTable, type RouteTable } from './route-table.ts'

export interface Deps {
  readonly routes: RouteTable
  readonly resolver: Resolver
  readonly limits: Limits
  readonly forwarding: Forwarding
  readonly servicePermits: (service: string) => ServicePermits
  readonly waits: Waits
  readonly hosts: Hosts
  /** Shown by the pages of the documentation. */
  readonly addresses: Addresses
  /** The header of this name in every response; undefined where clients use plain HTTP. */
  readonly strictTransportSecurity: string | undefined
  readonly readiness: Readiness
  readonly audit: AuditSpool
  readonly log: Log
  /** Which requests have a log line. */
  readonly isLogged: RequestFilter
}

/** Requests without a credential have permits of their own, so that they take none of tenants. */
interface ServicePermits {
  readonly tenants: FairPermits
  readonly addresses: FairPermits
}

const self = 'gateway'

/**
 * Maximum time for one response of an authorization source. Each response that a request waits for has this limit.
 */
const authorizationTimeoutMs = 2_000

/** Creates the dependencies from the configuration. Opens no connection. */
export function createDeps(config: Config, audit: AuditSpool, log: Log, metrics: Metrics): Deps {
  const keys = config.ASSERTION_SIGN_KEYS
  const at = (baseUrl: string) => ({ self, keys, baseUrl, timeoutMs: authorizationTimeoutMs }) as const
  const measureReads = createLeaseMetrics(metrics.registry)
  const leaseClient = (service: string, baseUrl: string) =>
    createLeaseClient({ service, baseUrl, keys, timeoutMs: authorizationTimeoutMs })
  const apiKeyClient = client(apiKey, at(config.API_KEY_URL))
  const apiKeyLease = leaseClient('api-key', config.API_KEY_URL)
  const limits = createLimits({
    credential: { perSecond: config.REQUESTS_PER_SECOND_PER_KEY, burst: config.REQUEST_BURST_PER_KEY },
    tenant: { perSecond: config.REQUESTS_PER_SECOND_PER_TENANT, burst: config.REQUEST_BURST_PER_TENANT },
    failuresPerMinute: config.FAILED_AUTHENTICATIONS_PER_MINUTE,
    unverifiedPerMinute: config.UNVERIFIED_REQUESTS_PER_MINUTE,
    webhooksPerMinute: config.PROVIDER_WEBHOOKS_PER_MINUTE,
    revealsPerMinute: config.REVEALS_PER_MINUTE,
    store: apiKeyClient,
    acquireLease: apiKeyLease,
    log,
  })
  const readVersion = {
    apiKey: measureReads('api-key', versionReader(apiKeyLease, limits.takeReport)),
    identity: measureReads('identity', versionReader(leaseClient('identity', config.IDENTITY_URL))),
    rbac: measureReads('rbac', versionReader(leaseClient('rbac', config.RBAC_URL))),
  }
  const sources = {
    apiKey: { ...apiKeyClient, readVersion: readVersion.apiKey },
    identity: { ...client(identityContract, at(config.IDENTITY_URL)), readVersion: readVersion.identity },
    rbac: { ...client(rbac, at(config.RBAC_URL)), readVersion: readVersion.rbac },
  }
  return {
    routes: createRouteTable(contracts),
    resolver: createResolver({
      sources,
      tokens: createTokenVerifier(
        config.JWT_ISSUERS.map((issuer) => tokenIssuer(issuer, log)),
        sessionTokens(config, sources.identity, log),
      ),
      environment: config.ENVIRONMENT,
      log,
    }),
    limits,
    forwarding: createForwarding(createUpstreams(config)),
    servicePermits: createServicePermits(config),
    waits: createWaits(),
    hosts: createHosts(config),
    addresses: { api: config.API_ORIGIN ?? `http://127.0.0.1:${config.PORT}`, console: config.CONSOLE_ORIGIN },
    strictTransportSecurity: strictTransportSecurity(config),
    // Every request needs its audit record. Without a source, some requests fail on each replica alike.
    readiness: {
      required: { audit: audit.check },
      optional: {
        'api-key': responds(config.API_KEY_URL),
        identity: responds(config.IDENTITY_URL),
        rbac: responds(config.RBAC_URL),
      },
    },
    audit,
    log,
    isLogged: requestFilter(config.LOG_REQUEST_SHARE),
  }
}

const createUpstreams = (config: Config): ReadonlyMap<string, Upstream> =>
  new Map(
    serviceNames.map((service) => {
      const key = config.ASSERTION_SIGN_KEYS.get(service)
      if (key === undefined) throw new Error(`no assertion key is configured for ${service}`)
      return [service, { url: config[urlVariable(service)], key }]
    }),
  )

/** Without `includeSubDomains`: the other hosts of the domain are not ours. */
function strictTransportSecurity(config: Config): string | undefined {
  const { STRICT_TRANSPORT_SECURITY_SECONDS: seconds = config.ENVIRONMENT === 'dev' ? 0 : oneYearSeconds } = config
  return seconds === 0 ? undefined : `max-age=${seconds}`
}

const oneYearSeconds = 31_536_000

/** Each service has separate permits, so that a slow service does not block requests to other services. */
function createServicePermits(config: Config): Deps['servicePermits'] {
  const waiting = { waitingMax: config.UPSTREAM_WAITING_MAX, waitMsMax: config.UPSTREAM_WAIT_MS_MAX }
  const createPermits = (): ServicePermits => ({
    tenants: createUpstreamPermits({
      ...waiting,
      kind: 'tenant',
      permitsMax: config.UPSTREAM_REQUESTS_MAX,
      perSubjectMax: config.UPSTREAM_REQUESTS_PER_TENANT_MAX,
    }),
    addresses: createUpstreamPermits({
      ...waiting,
      kind: 'address',
      permitsMax: config.UPSTREAM_ANONYMOUS_REQUESTS_MAX,
      perSubjectMax: config.UPSTREAM_REQUESTS_PER_ADDRESS_MAX,
    }),
  })
  const byService = new Map<string, ServicePermits>(serviceNames.map((service) => [service, createPermits()]))
  return (service) => {
    const permits = byService.get(service)
    if (permits === undefined) throw new Error(`there are no permits of ${service}`)
    return permits
  }
}

function tokenIssuer(config: IssuerConfig, log: Log): TokenIssuer {
  const { jwks_file: file, jwks_url: url } = config
  return {
    issuer: config.issuer,
    audience: config.audience,
    algorithms: config.algorithms,
    keys: createKeySet({
      load: () => (file === undefined ? loadUrl(String(url)) : loadFile(file)),
      onFailure: (err) => log.warn({ err, issuer: config.issuer }, 'failed to load the key set of an issuer'),
    }),
    tenantClaim: config.tenant_claim,
    rolesClaim: config.roles_claim,
    tenants: config.tenants === '*' ? '*' : new Set(config.tenants),
    lifetimeSecondsMax: config.lifetime_seconds_max,
  }
}

/** identity may be away for a moment only: its own requests are few. */
const sessionKeysCooldownMs = 1_000

function sessionTokens(
  { ENVIRONMENT }: Config,
  source: Pick<Client<typeof identityContract>, 'readSessionTokenKeys'>,
  log: Log,
) {
  const keys = createKeySet({
    load: () => source.readSessionTokenKeys({ traceId: newId() }, {}),
    onFailure: (err) => log.warn({ err }, 'failed to load the keys of session tokens'),
    cooldownMs: sessionKeysCooldownMs,
  })
  return sessionTokenIssuer(ENVIRONMENT, keys)
}

const readinessTimeoutMs = 1_500
const readinessAgent = new Agent({ keepAlive: false })

/**
 * Checks that a service responds. The service reports its own dependencies in its own readiness check. The reason is
 * public, so the reason contains no address and no error of the operating system.
 */
function responds(url: string): ReadinessCheck {
  return () =>
    new Promise((resolve) => {
      const request = get(`${url}/healthz`, { agent: readinessAgent, timeout: readinessTimeoutMs }, (response) => {
        response.resume()
        resolve(response.statusCode === 200 ? null : `responded with ${response.statusCode}`)
      })
      request.on('timeout', () => {
        request.destroy()
        resolve(`did not respond within ${readinessTimeoutMs} ms`)
      })
      request.on('error', () => resolve('cannot be reached'))
    })
}
