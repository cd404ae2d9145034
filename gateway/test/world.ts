import { createSecretKey, type KeyObject, randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, client } from '@payments/chassis/client'
import { newId } from '@payments/chassis/id'
import { createMetrics } from '@payments/chassis/metrics'
import { createFastServer, listen, type ServerLimits, stopServer } from '@payments/chassis/serve'
import { apiKey } from '@payments/contracts/api-key'
import type { AuditRecord } from '@payments/contracts/audit'
import { auditQueue, decodeAuditLines } from '@payments/contracts/audit-line'
import type { Permission } from '@payments/contracts/permission'
import { rbac } from '@payments/contracts/rbac'
import { named } from '@payments/messaging/topology'
import { privateBroker } from '@payments/testing/broker'
import { privateDatabase } from '@payments/testing/database'
import { keysOfEveryProcess } from '@payments/testing/edges'
import { localProvider } from '@payments/vault/local-provider'
import { createVault } from '@payments/vault/vault'
import { pino } from 'pino'
import request from 'supertest'
import { createApp as createApiKey } from '../../services/api-key/src/app.ts'
import { dataKeys } from '../../services/api-key/src/store/data-keys.ts'
import { openDatabase as openApiKeyDatabase } from '../../services/api-key/src/store/database.ts'
import { keyValues } from '../../services/api-key/src/values.ts'
import { createApp as createRbac } from '../../services/rbac/src/app.ts'
import { openDatabase as openRbacDatabase } from '../../services/rbac/src/store/database.ts'
import { insertRoles } from '../../services/rbac/src/store/roles.ts'
import { createApp } from '../src/app.ts'
import { assemble } from '../src/assemble.ts'
import { openAuditSpool } from '../src/audit/spool.ts'
import { connectionLimits, readConfig } from '../src/config.ts'
import type { Deps } from '../src/deps.ts'
import { edgeMetrics } from '../src/limits/metrics.ts'
import { closeForwarding } from '../src/pipeline/forward.ts'
import { createGatewayServer } from '../src/server.ts'
import { startIssuer } from './issuer.ts'

const loopback = { host: '127.0.0.1', port: 0 }
const silent = pino({ level: 'silent' })
const services = ['api-key', 'rbac', 'webhooks', 'payment-proxy', 'audit'] as const

interface WorldOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly alter?: (deps: Deps) => Deps
  readonly limits?: Partial<ServerLimits>
}

/**
 * One real gateway before a real rbac and a real api-key on databases of their own. Where webhooks and payment-proxy
 * would be there is a bare HTTP server, `upstream`, that answers whatever a test wants it to.
 */
export async function startWorld({ env = {}, alter = (deps) => deps, limits = {} }: WorldOptions = {}) {
  const edges = new Map(services.map((service) => [service as string, createSecretKey(randomBytes(32))]))
  const rbacService: RbacService = await startRbac(edges, () => apiKeyService.url)
  const apiKeyService = await startApiKey(edges, rbacService.url)
  const upstream = await startUpstream()
  const issuer = startIssuer()
  const broker = await privateBroker()
  const ownDirectory = mkdtempSync(join(tmpdir(), 'audit-'))
  const config = readConfig({
    ENVIRONMENT: 'dev',
    PORT: '0',
    INTERNAL_PORT: '0',
    ASSERTION_SIGN_KEYS: JSON.stringify(Object.fromEntries([...edges].map(([name, key]) => [name, encode(key)]))),
    API_KEY_URL: apiKeyService.url,
    RBAC_URL: rbacService.url,
    WEBHOOKS_URL: upstream.url,
    PAYMENT_PROXY_URL: upstream.url,
    AUDIT_URL: upstream.url,
    AUDIT_DIRECTORY: ownDirectory,
    AMQP_URL: broker.url,
    AUDIT_MESSAGE_KEY: JSON.stringify({ gateway: randomBytes(32).toString('base64') }),
    MESSAGING_PREFIX: broker.prefix,
    JWT_ISSUERS: JSON.stringify([issuer.config]),
    FAILED_AUTHENTICATIONS_PER_MINUTE: '1000000',
    UNVERIFIED_REQUESTS_PER_MINUTE: '1000000',
    ...env,
  })
  const lines: Record<string, unknown>[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const { AUDIT_DIRECTORY: auditDirectory } = config
  const metrics = createMetrics('gateway')
  const audit = await openAuditSpool({
    directory: auditDirectory,
    fileBytesMax: config.AUDIT_FILE_BYTES_MAX,
    broker: { url: config.AMQP_URL, prefix: broker.prefix },
    producer: config.AUDIT_MESSAGE_KEY,
    log: silent,
    metrics,
  })
  const deps = alter(assemble(config, audit, log))
  const server = createGatewayServer(
    createApp(deps, { trustedProxies: config.TRUSTED_PROXIES }),
    { trail: deps.audit, unverified: deps.limits.unverified, log },
    { limits: connectionLimits(config), observer: edgeMetrics(metrics.registry, deps.permitsOf) },
    limits,
  )
  const port = await listen(server, loopback)
  const url = `http://127.0.0.1:${port}`
  return {
    port,
    url,
    server,
    forwarding: deps.forwarding,
    /** Bytes of request bodies that the gateway holds. */
    reading: () => deps.limits.bodies.bytes(),
    upstream,
    issuer,
    edges,
    rbac: rbacService,
    apiKey: apiKeyService,
    lines,
    auditDirectory,
    metrics,
    /** The audit record of the request with this trace id, once it is in the file. */
    auditOf: (traceId: string) => until(() => auditIn(auditDirectory).find((record) => record.trace_id === traceId)),
    tenant: () => createTenant(rbacService, apiKeyService),
    /** A request with the three headers. */
    send: (
      method: 'get' | 'post' | 'put' | 'patch' | 'delete' | 'head' | 'options',
      path: string,
      credential: Credential,
    ) => request(url)[method](path).set(headersOf(credential)),
    stop: async () => {
      await stopServer(server, 0)
      await deps.authority.close()
      await closeForwarding(deps.forwarding, 0)
      await audit.close()
      rmSync(ownDirectory, { recursive: true, force: true })
      await broker.discard({
        queues: [auditQueue.name, auditQueue.quarantine].map((name) => named(broker.prefix, name)),
      })
      await Promise.all([upstream.stop(), apiKeyService.stop(), rbacService.stop()])
      issuer.stop()
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

export function headersOf({ bearer, tenantId, traceId = randomUUID() }: Credential): Record<string, string> {
  const tenant = tenantId === undefined ? {} : { 'Tenant-ID': tenantId }
  return { Authorization: `Bearer ${bearer}`, 'Trace-ID': traceId, ...tenant }
}

/** Every record in the segments of a directory. */
export function auditIn(directory: string): AuditRecord[] {
  const files = readdirSync(directory).filter((name) => name.endsWith('.audit'))
  return files.flatMap((name) => decodeAuditLines(readFileSync(join(directory, name))).records)
}

const conditionTimeoutMs = 20_000

/** Resolves with the first value that is not undefined; fails after 20 s. */
export async function until<T>(look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + conditionTimeoutMs
  for (;;) {
    const value = await look()
    if (value !== undefined) return value
    if (Date.now() > deadline) throw new Error('the condition was not met in time')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** Writes bytes to the gateway as they are; resolves with all that came back when the connection ends. */
export function sendRaw(port: number, ...parts: readonly (string | Buffer)[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      for (const part of parts) socket.write(part)
    })
    let answer = ''
    socket.setTimeout(conditionTimeoutMs, () => socket.destroy(new Error(`no end of the answer: ${answer}`)))
    socket.on('data', (chunk) => (answer += chunk.toString('latin1')))
    socket.on('error', reject)
    socket.on('close', () => resolve(answer))
  })
}

function encode(key: KeyObject): string {
  return key.export().toString('base64')
}

/** Every internal call of a service, each as a process that may make it. */
function asEachCaller<C>(as: (self: string) => C): C {
  return Object.assign({}, as('payctl'), as('gateway'))
}

/** Every call of payctl names its operator. */
function operatorOf(self: string) {
  return self === 'payctl' ? { operator: 'operator@example.com' } : {}
}

type Edges = ReadonlyMap<string, KeyObject>

function keyOf(edges: Edges, service: string): KeyObject {
  const key = edges.get(service)
  if (key === undefined) throw new Error(`there is no edge to ${service}`)
  return key
}

/** rbac and api-key ask each other, so one learns the other's address late. */
async function startRbac(edges: Edges, apiKeyUrl: () => string) {
  const database = await privateDatabase('rbac')
  const db = openRbacDatabase(database.url)
  const keys = keysOfEveryProcess(keyOf(edges, 'rbac'))
  const apiKeyClient = () => client(apiKey, { self: 'rbac', baseUrl: apiKeyUrl(), keys: edges, timeoutMs: 20_000 })
  const asked: Pick<Client<typeof apiKey, 'rbac'>, 'countKeysWithRole' | 'readKeyRoles'> = {
    countKeysWithRole: (...call) => apiKeyClient().countKeysWithRole(...call),
    readKeyRoles: (...call) => apiKeyClient().readKeyRoles(...call),
  }
  const app = createRbac({
    db,
    apiKey: asked,
    broker: async () => null,
    keys,
    log: silent,
    metrics: createMetrics('rbac'),
  })
  const server = createFastServer(app)
  const url = `http://127.0.0.1:${await listen(server, loopback)}`
  return {
    url,
    server,
    client: asEachCaller((self) =>
      client(rbac, { self, ...operatorOf(self), baseUrl: url, keys: edges, timeoutMs: 20_000 }),
    ),
    /** A custom role. */
    role: async (tenantId: string, permissions: readonly Permission[]): Promise<{ id: string; name: string }> => {
      const role = { name: randomUUID(), description: '', kind: 'custom' as const, permissions: [...permissions] }
      const [made] = await db.inTenant(tenantId, (tx) => insertRoles(tx, tenantId, [{ id: newId(), ...role }]))
      return { id: String(made?.id), name: role.name }
    },
    stop: async () => {
      await stopServer(server, 0)
      await db.close()
      await database.drop()
    },
  }
}

async function startApiKey(edges: Edges, rbacUrl: string) {
  const database = await privateDatabase('api-key')
  const db = openApiKeyDatabase(database.url)
  const secret = () => ({ keys: new Map([['1', createSecretKey(randomBytes(32))]]), current: '1' })
  const vault = createVault({ provider: localProvider(secret()), dataKeys: dataKeys(db) })
  const app = createApiKey({
    db,
    rbac: client(rbac, { self: 'api-key', baseUrl: rbacUrl, keys: edges, timeoutMs: 20_000 }),
    values: keyValues({ environment: 'dev', peppers: secret(), vault }),
    broker: async () => null,
    keys: keysOfEveryProcess(keyOf(edges, 'api-key')),
    log: silent,
    metrics: createMetrics('api-key'),
  })
  const server = createFastServer(app)
  const url = `http://127.0.0.1:${await listen(server, loopback)}`
  return {
    url,
    server,
    client: asEachCaller((self) =>
      client(apiKey, { self, ...operatorOf(self), baseUrl: url, keys: edges, timeoutMs: 20_000 }),
    ),
    stop: async () => {
      await stopServer(server, 0)
      await db.close()
      await database.drop()
    },
  }
}

type RbacService = Awaited<ReturnType<typeof startRbac>>
type Services = [RbacService, Awaited<ReturnType<typeof startApiKey>>]

/** A tenant of its own, with a key of all power, and others made to measure. */
async function createTenant(...[rbacService, apiKeyService]: Services) {
  const context = { traceId: randomUUID() }
  const { tenant, roles } = await rbacService.client.createTenant(context, { body: { name: 'Acme' } })
  const issue = async (roleIds: string[]) => {
    const body = { name: 'a key', description: '', role_ids: roleIds }
    const made = await apiKeyService.client.issueFirstKey(context, { params: { tenant_id: tenant.id }, body })
    return { id: made.id, bearer: made.value, tenantId: tenant.id }
  }
  const adminRole = String(roles.find(({ name }) => name === 'admin')?.id)
  return {
    id: tenant.id,
    adminRole,
    admin: await issue([adminRole]),
    keyWith: async (permissions: readonly Permission[]) => issue([(await rbacService.role(tenant.id, permissions)).id]),
    suspend: () => rbacService.client.suspendTenant(context, { params: { tenant_id: tenant.id } }),
  }
}

/** What stands where a service would: it records what reached it and answers as told. */
async function startUpstream() {
  const state: { answer: RequestListener } = { answer: (_request, response) => void response.end('{}') }
  const server: Server = createServer({ keepAliveTimeout: 100_000 }, (incoming, response) =>
    state.answer(incoming, response),
  )
  const url = `http://127.0.0.1:${await listen(server, loopback)}`
  return {
    url,
    server,
    answer: (listener: RequestListener) => {
      state.answer = listener
    },
    stop: () => stopServer(server, 0),
  }
}
