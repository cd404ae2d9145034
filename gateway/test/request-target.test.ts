import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { createMetrics } from '@payments/chassis/process/metrics'
import { createAppServer, listen, stopServer } from '@payments/chassis/process/serve'
import { createServiceApp } from '@payments/chassis/request/app'
import type { Handlers } from '@payments/chassis/request/router'
import { contracts } from '@payments/contracts/edges/contracts'
import { type Contract, contract, type Endpoint } from '@payments/contracts/grammar/contract'
import type { AuditRecord } from '@payments/contracts/services/audit/contract'
import fc from 'fast-check'
import { pino } from 'pino'
import { z } from 'zod'
import type { Deps } from '../src/deps.ts'
import { createRouteTable } from '../src/route-table.ts'
import { requestTargets } from './request-targets.ts'
import { credentialHeaders, sendRaw, startWorld, type TestTenant, type World } from './world.ts'

/**
 * The real gateway with the real router of each service and the real paths. Each handler is a stub that responds with
 * the name of its operation, for any parameters. So each forwarded request shows which operation ran.
 */
const loose: readonly Contract[] = contracts.map(({ service, endpoints }) =>
  contract({
    service,
    description: 'A stub.',
    problems: {},
    events: {},
    endpoints: Object.fromEntries(
      Object.entries(endpoints)
        .filter(([, { audience }]) => audience === 'tenant')
        .map(([name, endpoint]) => [name, loosened(endpoint)] as const),
    ),
  }),
)

function loosened({ method, path, audience, permission, reveals, sensitive }: Endpoint): Endpoint<never> {
  return {
    method,
    path,
    audience,
    ...(permission === undefined ? {} : { permission }),
    ...(reveals === undefined ? {} : { reveals }),
    ...(sensitive === undefined ? {} : { sensitive }),
    summary: path,
    query: z.looseObject({}),
    replies: { 200: z.object({ operation: z.string() }) },
  }
}

const operations = loose.flatMap(({ endpoints }) =>
  Object.entries(endpoints).map(([operation, { method, path }]) => ({ operation, method, path })),
)

let world: World
let tenant: TestTenant
let servers: Server[]
/** The operation that ran, the counted reveals, and the audit records. */
let ran: string[]
let revealsCounted: number
let recorded: AuditRecord[]

beforeAll(async () => {
  servers = []
  recorded = []
  world = await startWorld({
    env: { REQUESTS_PER_SECOND_PER_KEY: '100000', REQUEST_BURST_PER_KEY: '100000' },
    alter: (deps) => withStandIns(deps),
  })
  tenant = await world.tenant()
})
beforeEach(() => {
  ran = []
  revealsCounted = 0
  recorded = []
})
afterAll(async () => {
  await world.stop()
  await Promise.all(servers.map((server) => stopServer(server, 0)))
})

const urls = new Map<string, string>()

function withStandIns(deps: Deps): Deps {
  const upstreams = new Map(
    [...deps.forwarding.upstreams].map(([service, upstream]) => [
      service,
      {
        ...upstream,
        get url() {
          return String(urls.get(service))
        },
      },
    ]),
  )
  const takeReveal = async () => {
    revealsCounted += 1
    return 0
  }
  const append: typeof deps.audit.append = (record, isDurable, done) => {
    recorded.push(record)
    deps.audit.append(record, isDurable, done)
  }
  return {
    ...deps,
    audit: { ...deps.audit, append },
    routes: createRouteTable(loose),
    forwarding: { ...deps.forwarding, upstreams },
    limits: { ...deps.limits, takeReveal },
  }
}

beforeAll(async () => {
  for (const each of loose) {
    const key = world.edges.get(each.service)
    if (key === undefined) throw new Error(each.service)
    const handlers = Object.fromEntries(
      Object.keys(each.endpoints).map((operation) => [
        operation,
        async () => {
          ran.push(operation)
          return { operation }
        },
      ]),
    ) as unknown as Handlers<Contract>
    const app = createServiceApp({
      contract: each,
      handlers,
      keys: new Map([['gateway', key]]),
      log: pino({ level: 'silent' }),
      metrics: createMetrics(each.service),
      operatorCalls: { begin: async () => {}, complete: async () => {} },
      readiness: { required: {} },
    })
    const server = createAppServer(app)
    servers.push(server)
    urls.set(each.service, `http://127.0.0.1:${await listen(server, { host: '127.0.0.1', port: 0 })}`)
  }
})

/** Sends the target unchanged. Resolves with status and body of the response and the audit records of the request. */
async function send(method: string, target: string) {
  const traceId = randomUUID()
  const lines = Object.entries({ Host: 'a', Connection: 'close', ...credentialHeaders({ ...tenant.admin, traceId }) })
  const head = `${method} ${target} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
  const reply = await sendRaw(world.port, Buffer.from(head, 'latin1'))
  const [, status = '', body = ''] = /^HTTP\/1\.1 (\d{3}) [\s\S]*?\r\n\r\n([\s\S]*)$/.exec(reply) ?? []
  const responseTraceId = /\r\nTrace-ID: (\S+)/i.exec(reply)?.[1]
  const records = recorded.filter((record) => record.trace_id === responseTraceId)
  return { status: Number(status), body, records }
}

const id = '0198c5a0-0000-7000-8000-000000000000'
const keyPath = `/v1/api-key/keys/${id}`

describe('a request target that two parsers could read differently', () => {
  test.each([
    ['a backslash that a fragment turns into a slash: a reveal that looks like a read', `${keyPath}\\reveal#`],
    ['a backslash', `${keyPath}\\reveal`],
    ['a fragment', `${keyPath}#x`],
    ['a fragment before a query', `${keyPath}#?limit=1`],
    ['an empty segment', `/v1//api-key/keys/${id}`],
    ['two slashes at its beginning', `/${keyPath}`],
    ['a dot segment', `/v1/api-key/keys/${id}/x/..`],
    ['a single dot segment', `/v1/api-key/./keys/${id}`],
    ['an escaped dot segment', `/v1/api-key/keys/${id}/x/%2E%2e`],
    ['a half escaped dot segment', `/v1/api-key/keys/${id}/x/.%2e`],
    ['an escaped slash', `${keyPath}%2freveal`],
    ['an escaped backslash', `${keyPath}%5Creveal`],
    ['an escaped control', `${keyPath}%00`],
    ['an escaped carriage return', `${keyPath}%0d%0aX:%20y`],
    ['an escaped delete', `${keyPath}%7f`],
    ['an escape that is not UTF-8', `${keyPath}%ff`],
    ['a malformed escape', `${keyPath}%zz`],
    ['an escape cut short', `${keyPath}%2`],
    ['a malformed escape in the query', `${keyPath}?a=%g0`],
    ['a backslash in the query', `${keyPath}?a=\\`],
    ['a bracket in the query', `${keyPath}?a[]=1`],
    ['a bracket', `${keyPath}[1]`],
    ['a brace', `${keyPath}{1}`],
    ['a bar', `${keyPath}|`],
    ['a caret', `${keyPath}^`],
    ['a double quote', `${keyPath}"`],
    ['an angle bracket', `${keyPath}<`],
    ['a grave accent', `${keyPath}\``],
    ['the absolute form', `http://a${keyPath}`],
    ['an absolute form that no parser takes', `http://a[${keyPath}`],
    ['an authority that no parser accepts', `//a@b[${keyPath}#`],
    ['the absolute form in another case', `HTTP://a${keyPath}`],
  ])('is rejected, recorded and reaches no service: %s', async (_name, target) => {
    const { status, body, records } = await send('GET', target)
    expect([status, JSON.parse(body).code]).toEqual([400, 'invalid_request_target'])
    expect(JSON.parse(body).errors).toEqual([
      { pointer: expect.stringMatching(/^\/(path|query)$/), detail: expect.stringMatching(/^(must|is) /) },
    ])
    expect(records).toHaveLength(1)
    expect(records[0]).toMatchObject({ status: 400, code: 'invalid_request_target', operation: null, tenant_id: null })
    expect(ran).toEqual([])
  })

  test('is rejected by the HTTP parser when it has a byte beyond ASCII', async () => {
    const { status, records } = await send('GET', `${keyPath}\u00e9`)
    expect([status, records.length, ran]).toEqual([400, 1, []])
  })

  test('is rejected when it is an asterisk', async () => {
    const { status, body } = await send('OPTIONS', '*')
    expect([status, JSON.parse(body).code]).toEqual([400, 'invalid_request_target'])
  })

  test('is rejected before an unknown path, and after a repeated single header', async () => {
    expect(JSON.parse((await send('GET', '/nowhere\\')).body).code).toBe('invalid_request_target')
    const lines = `Host: a\r\nConnection: close\r\nTrace-ID: ${randomUUID()}\r\nTrace-ID: ${randomUUID()}\r\n`
    expect(await sendRaw(world.port, `GET /nowhere\\ HTTP/1.1\r\n${lines}\r\n`)).toContain('"code":"invalid_header"')
  })
})

test('every operation runs with any character that RFC 3986 allows in a path and a query', async () => {
  const marks = "-._~!$&'()*+,;=:@"
  for (const { operation, method, path } of operations) {
    const target = `${path.replaceAll(/\{\w+\}/g, () => `x${marks}%20%C3%A9`)}?a=${marks}/?%5C%00`
    const { status, body, records } = await send(method, target)
    expect({ target, status, body: JSON.parse(body) }).toEqual({ target, status: 200, body: { operation } })
    expect(records.map((record) => record.operation)).toEqual([operation])
  }
})

const runs = 1_000

test('for every target, the gateway authorizes, limits and records the operation that runs', async () => {
  const revealing = new Set(
    loose.flatMap(({ endpoints }) => Object.keys(endpoints).filter((name) => endpoints[name]?.reveals)),
  )
  let executed = 0
  const property = fc.asyncProperty(requestTargets(operations), async ({ method, target }) => {
    ran = []
    revealsCounted = 0
    recorded = []
    const { status, body, records } = await send(method, target)
    expect(records.map((record) => record.status)).toEqual([status])
    if (status >= 200 && status < 300 && !isPage(records)) {
      executed += 1
      expect([JSON.parse(body).operation]).toEqual(ran)
      expect(records.map(({ operation }) => operation)).toEqual(ran)
    } else expect(ran).toEqual([])
    // A reveal that the gateway did not recognize would not be counted.
    expect(revealsCounted).toBe(ran.filter((operation) => revealing.has(operation)).length)
  })
  await fc.assert(property, { numRuns: runs })
  expect(executed).toBeGreaterThan(runs / 20)
}, 300_000)

/** A public page of the gateway. */
const isPage = ([record]: readonly { operation: string | null }[]) => record?.operation === null
