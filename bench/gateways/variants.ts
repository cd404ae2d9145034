/** The variants of the gateway benchmark, each in front of one upstream, and how the CPU of each is counted. */
import { keyHash } from '@payments/contracts/grammar/key-value'
import { type Service, withClient } from '@payments/devkit/servers/databases'
import { testAddress } from '@payments/devkit/tests/test-address'
import { startTestStack } from '@payments/testing/platform/local-stack'
import { buildHeaders } from '../load/request.ts'
import { createTenant } from '../load/tenant.ts'
import { unlimitedRates } from '../load/unlimited-rates.ts'
import { type Cleanup, startChild } from '../measure/child-process.ts'
import { type CpuTimes, cpuMs, cpuTimes } from '../measure/cpu-time.ts'
import { residentMemory } from '../measure/resident-memory.ts'
import { serverPids } from '../measure/server-process.ts'
import { insertUserWithSession } from '../revocation/people.ts'
import { startFastify } from './fastify-variant.ts'
import type { ServiceReport, ServiceRequest, StubReady } from './stub-server.ts'

export interface Variant {
  readonly name: string
  readonly port: number
  /** Of its requests. */
  readonly headers: Readonly<Record<string, string>>
  readonly cpuTimes: () => Promise<VariantCpu>
}

export interface VariantCpu {
  readonly proxy: CpuTimes
  /** Other processes that a request needs: key service; api-key, identity, rbac; and their database sessions. */
  readonly others: CpuTimes
  /** The audit service and its database sessions. */
  readonly audit: CpuTimes
  /** RabbitMQ, which carries the audit records. */
  readonly broker: CpuTimes
  /** The verification of the assertion in the service. */
  readonly verification: CpuTimes
}

export const fastifyName = 'Fastify, same duties'

const parts = { proxy: new Map(), others: new Map(), audit: new Map(), broker: new Map(), verification: new Map() }

export type Variants = Awaited<ReturnType<typeof startVariants>>

export async function startVariants(cleanups: Cleanup[]) {
  const upstream = await startChild<StubReady>(cleanups, 'gateways/stub-server', { args: ['upstream'] })
  const { port } = upstream.ready
  const gateway = await startGateway(cleanups)
  const upstreamUrl = `http://127.0.0.1:${port}`
  const proxy = await startChild<StubReady>(cleanups, 'gateways/stub-server', { args: ['proxy', upstreamUrl] })
  const peers = [await startTutorial(cleanups, upstreamUrl), await startFastifyVariant(cleanups, gateway.keyValue)]
  const { headers } = gateway
  const all: Variant[] = [
    { name: 'direct', port, headers, cpuTimes: async () => parts },
    {
      name: 'express-http-proxy',
      port: proxy.ready.port,
      headers,
      cpuTimes: async () => ({ ...parts, proxy: cpuTimes([proxy.pid]) }),
    },
    ...peers.map((peer) => ({ ...peer, headers })),
    ...gateway.variants,
  ]
  return { all, ...gateway }
}

async function startTutorial(cleanups: Cleanup[], upstreamUrl: string): Promise<Omit<Variant, 'headers'>> {
  const start = (...args: string[]) => startChild<StubReady>(cleanups, 'gateways/tutorial-gateway', { args })
  const keyService = await start('key-service')
  const tutorial = await start('tutorial', upstreamUrl, `http://127.0.0.1:${keyService.ready.port}`)
  return {
    name: 'tutorial wiring',
    port: tutorial.ready.port,
    cpuTimes: async () => ({ ...parts, proxy: cpuTimes([tutorial.pid]), others: cpuTimes([keyService.pid]) }),
  }
}

/** Audit and log are files of its process. */
async function startFastifyVariant(cleanups: Cleanup[], keyValue: string): Promise<Omit<Variant, 'headers'>> {
  const { port, pid, databaseUrl, service } = await startFastify(cleanups, keyHash(keyValue))
  return {
    name: fastifyName,
    port,
    cpuTimes: async () => ({
      ...parts,
      proxy: cpuTimes([pid]),
      others: cpuTimes(await databaseSessions([databaseUrl])),
      verification: new Map([[service.pid, await service.verificationMs()]]),
    }),
  }
}

/**
 * The real gateway in the local stack, with one API key, and with the session of one person. In place of payment-proxy,
 * an upstream verifies the assertion and responds at once.
 */
async function startGateway(cleanups: Cleanup[]) {
  const service = await startChild<StubReady, ServiceRequest, ServiceReport>(cleanups, 'gateways/stub-server', {
    args: ['service'],
  })
  const stack = await startTestStack({
    env: { PAYMENT_PROXY_URL: `http://127.0.0.1:${service.ready.port}`, LOG_REQUEST_SHARE: '0.01', ...unlimitedRates },
  })
  cleanups.push(stack.stop)
  await service.request({ gatewayKey: stack.edgeKey('gateway', 'payment-proxy') })
  const { tenantId, credential, roles } = await createTenant(stack)
  const user = { tenantId, roleIds: [roles.admin], email: 'ada@example.com' }
  const person = await insertUserWithSession(stack, user)
  const sessions = (...services: Service[]) => databaseSessions(services.map((name) => stack.databases[name].url))
  const sources = ['api-key', 'identity', 'rbac'] as const
  const headers = buildHeaders(credential)
  const variant = {
    name: 'gateway',
    headers,
    port: stack.ports.gateway,
    cpuTimes: async () => ({
      proxy: cpuTimes([stack.pid('gateway')]),
      others: cpuTimes([...sources.map((name) => stack.pid(name)), ...(await sessions(...sources))]),
      audit: cpuTimes([stack.pid('audit'), ...(await sessions('audit'))]),
      broker: cpuTimes(serverPids('rabbitmq')),
      verification: new Map([[service.pid, (await service.request({})).verificationMs]]),
    }),
  }
  const console = { cookie: person.value, host: new URL(stack.gatewayUrl).host }
  return {
    keyValue: credential.bearer,
    headers,
    variants: [variant, { ...variant, name: 'gateway, session', headers: buildHeaders(console) }],
    /** How often the gateway has read the authorization version of identity. */
    identityReads: () => countIdentityReads(`http://127.0.0.1:${stack.ports.gatewayInternal}/metrics`),
    /** Resident memory of the gateway, in MB. */
    gatewayRssMb: () => residentMemory(stack.pid('gateway')).rssMb,
  }
}

async function countIdentityReads(metricsUrl: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text()
  const counts = [...text.matchAll(/^gateway_authorization_read_seconds_count\{[^}]*source="identity"[^}]*\} (\d+)/gm)]
  return counts.reduce((sum, [, count]) => sum + Number(count), 0)
}

/** The processes that serve these databases; none when PostgreSQL runs on another machine. */
async function databaseSessions(urls: readonly string[]): Promise<number[]> {
  const names = urls.map((url) => new URL(url).pathname.slice(1))
  const { rows } = await withClient(testAddress('TEST_DATABASE_URL'), (admin) =>
    admin.query<{ pid: number }>('SELECT pid FROM pg_stat_activity WHERE datname = ANY($1)', [names]),
  )
  return rows.map(({ pid }) => pid).filter((pid) => cpuMs(pid) > 0)
}
