import { createSecretKey, type KeyObject, randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMetrics } from '@payments/chassis/process/metrics'
import { listen, type ServerLimits, stopServer } from '@payments/chassis/process/serve'
import { decodeAuditLines } from '@payments/contracts/edges/audit-line'
import { serviceNames } from '@payments/contracts/edges/contracts'
import { urlVariable } from '@payments/contracts/edges/service-urls'
import type { AuditRecord } from '@payments/contracts/services/audit/contract'
import { type Logger, pino } from 'pino'
import request from 'supertest'
import { createApp } from '../src/app.ts'
import { openAuditSpool } from '../src/audit/spool.ts'
import { connectionLimits, readConfig } from '../src/config.ts'
import { createDeps, type Deps } from '../src/deps.ts'
import { limitMetrics } from '../src/limits/metrics.ts'
import { closeForwarding } from '../src/pipeline/forward.ts'
import { createGatewayServer } from '../src/server.ts'
import { auditBroker } from './audit-broker.ts'
import { type IdentityService, type Person, startIdentity } from './identity.ts'
import { startIssuer } from './issuer.ts'
import { createTenant, type RbacService, startApiKey, startRbac } from './services.ts'
import { startUpstream } from './upstream.ts'

const loopback = { host: '127.0.0.1', port: 0 }
const silent = pino({ level: 'silent' })

interface WorldOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly alter?: (deps: Deps) => Deps
  readonly limits?: Partial<ServerLimits>
}

/**
 * Starts one real gateway with a real rbac, api-key and identity on private databases. `upstream`, a plain HTTP server,
 * replaces every other service and all that people call at identity. A test defines its responses with
 * `upstream.respond`.
 */
export async function startWorld({ env = {}, alter = (deps) => deps, limits = {} }: WorldOptions = {}) {
  const edges = new Map(serviceNames.map((service): [string, KeyObject] => [service, createSecretKey(randomBytes(32))]))
  const peers = { apiKeyUrl: () => apiKeyService.url, identityUrl: () => identity.url }
  const rbacService: RbacService = await startRbac(edges, peers)
  const apiKeyService = await startApiKey(edges, rbacService.url)
  const upstream = await startUpstream()
  const callees = { rbacUrl: rbacService.url, apiKeyUrl: apiKeyService.url, communicationUrl: upstream.url }
  const identity: IdentityService = await startIdentity(edges, callees, upstream.listener)
  const issuer = startIssuer()
  const broker = await auditBroker()
  const settings = {
    ENVIRONMENT: 'dev',
    PORT: '0',
    INTERNAL_PORT: '0',
    LOG_REQUEST_SHARE: '1',
    ASSERTION_SIGN_KEYS: JSON.stringify(Object.fromEntries([...edges].map(([name, key]) => [name, encode(key)]))),
    ...Object.fromEntries(serviceNames.map((service) => [urlVariable(service), upstream.url])),
    API_KEY_URL: apiKeyService.url,
    IDENTITY_URL: identity.url,
    RBAC_URL: rbacService.url,
    AMQP_URL: broker.url,
    AUDIT_MESSAGE_KEY: JSON.stringify({ gateway: randomBytes(32).toString('base64') }),
    MESSAGING_PREFIX: broker.prefix,
    JWT_ISSUERS: JSON.stringify([issuer.config]),
    CONSOLE_ORIGIN: consoleOrigin,
    FAILED_AUTHENTICATIONS_PER_MINUTE: '1000000',
    UNVERIFIED_REQUESTS_PER_MINUTE: '1000000',
    ...env,
  }
  const lines: Record<string, unknown>[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const gateways: Awaited<ReturnType<typeof startGateway>>[] = []
  const addGateway = async (given: Readonly<Record<string, string>> = {}) => {
    const gateway = await startGateway({ env: { ...settings, ...given }, alter, limits, log })
    gateways.push(gateway)
    return gateway
  }
  const gateway = await addGateway()
  const { port, url, server, deps, metrics, auditDirectory } = gateway
  return {
    gateway,
    port,
    url,
    server,
    forwarding: deps.forwarding,
    readiness: deps.readiness,
    /** Bytes of request bodies in the memory of the gateway. */
    reading: () => deps.limits.bodies.bytes(),
    upstream,
    issuer,
    edges,
    rbac: rbacService,
    apiKey: apiKeyService,
    identity,
    lines,
    auditDirectory,
    metrics,
    /** Starts another replica of the gateway. It runs until it or the world is stopped. */
    addGateway,
    /** Waits until the spool contains the audit record of this trace id, and returns the record. */
    findAuditRecord: (traceId: string) =>
      until(() => auditIn(auditDirectory).find((record) => record.trace_id === traceId)),
    tenant: () => createTenant(rbacService, apiKeyService),
    /** A request with the three headers. */
    send: (
      method: 'get' | 'post' | 'put' | 'patch' | 'delete' | 'head' | 'options',
      path: string,
      credential: Credential,
    ) => request(url)[method](path).set(credentialHeaders(credential)),
    /** A request of the console in a browser, with the cookie of a session. */
    sendAsConsole: (
      method: 'get' | 'post' | 'put' | 'patch' | 'delete',
      path: string,
      { value }: Pick<Person, 'value'>,
    ) => request(url)[method](path).set(headersOfConsole(value)),
    stop: async () => {
      await Promise.all(gateways.map((gateway) => gateway.stop()))
      await broker.discard()
      await Promise.all([upstream.stop(), apiKeyService.stop(), identity.stop(), rbacService.stop()])
      issuer.stop()
    },
  }
}

interface GatewayOptions extends Required<Omit<WorldOptions, 'env'>> {
  readonly env: Readonly<Record<string, string>>
  readonly log: Logger
}

/** Starts a gateway with its own audit spool. */
async function startGateway({ env, alter, limits, log }: GatewayOptions) {
  const ownDirectory = mkdtempSync(join(tmpdir(), 'audit-'))
  const config = readConfig({ AUDIT_DIRECTORY: ownDirectory, ...env })
  const { AUDIT_DIRECTORY: auditDirectory } = config
  const metrics = createMetrics('gateway')
  const audit = await openAuditSpool({
    directory: auditDirectory,
    fileBytesMax: config.AUDIT_FILE_BYTES_MAX,
    broker: { url: config.AMQP_URL, prefix: config.MESSAGING_PREFIX },
    producer: config.AUDIT_MESSAGE_KEY,
    log: silent,
    metrics,
  })
  const deps = alter(createDeps(config, audit, log, metrics))
  const server = createGatewayServer(
    createApp(deps, { trustedProxies: config.TRUSTED_PROXIES }),
    { ...deps, spool: deps.audit, unverified: deps.limits.unverified },
    { limits: connectionLimits(config), observer: limitMetrics(metrics.registry, deps) },
    limits,
  )
  const port = await listen(server, loopback)
  let stopped = false
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    server,
    deps,
    metrics,
    auditDirectory,
    stop: async () => {
      if (stopped) return
      stopped = true
      await stopServer(server, 0)
      await deps.limits.close()
      await deps.resolver.close()
      await closeForwarding(deps.forwarding, 0)
      await audit.close()
      rmSync(ownDirectory, { recursive: true, force: true })
    },
  }
}

export type World = Awaited<ReturnType<typeof startWorld>>
export type TestTenant = Awaited<ReturnType<typeof createTenant>>

export interface Credential {
  readonly bearer: string
  readonly tenantId?: string
  readonly traceId?: string
}

export function credentialHeaders({ bearer, tenantId, traceId = randomUUID() }: Credential): Record<string, string> {
  const tenant = tenantId === undefined ? {} : { 'Tenant-ID': tenantId }
  return { Authorization: `Bearer ${bearer}`, 'Trace-ID': traceId, ...tenant }
}

export const consoleOrigin = 'https://console.example.com'

/** The headers of a request that the console sends with the session of its user. */
export function headersOfConsole(value: string, traceId: string = randomUUID()) {
  return {
    Host: new URL(consoleOrigin).host,
    Cookie: `__Host-session=${value}`,
    'X-Console': '1',
    'Sec-Fetch-Site': 'same-origin',
    'Trace-ID': traceId,
  }
}

/** Every record in the segments of a directory. */
export function auditIn(directory: string): AuditRecord[] {
  const files = readdirSync(directory).filter((name) => name.endsWith('.audit'))
  return files.flatMap((name) => decodeAuditLines(readFileSync(join(directory, name))).records)
}

const conditionTimeoutMs = 20_000

/** Resolves with the first value of `look` that is not undefined. Fails after 20 s. */
export async function until<T>(look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + conditionTimeoutMs
  for (;;) {
    const value = await look()
    if (value !== undefined) return value
    if (Date.now() > deadline) throw new Error('the condition was not met in time')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** Writes bytes to the gateway. Resolves with the received bytes when the connection closes. */
export function sendRaw(port: number, ...parts: readonly (string | Buffer)[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      for (const part of parts) socket.write(part)
    })
    let reply = ''
    socket.setTimeout(conditionTimeoutMs, () => socket.destroy(new Error(`the response has no end: ${reply}`)))
    socket.on('data', (chunk) => (reply += chunk.toString('latin1')))
    socket.on('error', reject)
    socket.on('close', () => resolve(reply))
  })
}

function encode(key: KeyObject): string {
  return key.export().toString('base64')
}
