/**
 * What the gateway costs: a GET with an API key through the whole pipeline, beside nginx before the same upstream.
 *
 *   pnpm bench gateway [--rounds 3] [--seconds 3] [--warm-up 50000] [--connections 50] [--per-second 2000]
 *
 * Five variants take turns, round by round, before one upstream that answers at once:
 *   direct                the upstream itself
 *   express-http-proxy    Express and its proxy on the gateway's server, and nothing else: what the gateway cannot cost less than
 *   nginx                 as a plain proxy, one worker
 *   nginx + auth_request  the same, asking a minimal Node authorizer about each request
 *   gateway               the real one, in the real constellation, with one key; the upstream stands where payment-proxy would
 * Each is warmed up with so many requests, not for so long, since it is by then that code has been compiled: a process that has
 * answered few requests, on a machine that has other work, costs several times as much.
 * Each is measured saturated (CPU per request) and paced (latency). CPU is user + system of the processes of the variant, upstream
 * and load not counted: nginx and authorizer; gateway, api-key, rbac and the sessions these two have in PostgreSQL. What the audit
 * service spends on the records is a column of its own, and RabbitMQ is not counted, since it may be shared.
 *
 * The rate limits are lifted; they are counted all the same.
 */
import { readFileSync } from 'node:fs'
import { Agent, createServer } from 'node:http'
import { createRequire } from 'node:module'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createFastServer } from '@payments/chassis/serve'
import { withClient } from '@payments/devkit/databases'
import { freePorts } from '@payments/devkit/ports'
import { constellation } from '@payments/testing/constellation'
import { startNginx } from './gateway-nginx.mjs'
import { asked, cpuMs, cpuOf, spentMs, start } from './gateway-processes.mjs'

const { values } = parseArgs({
  options: {
    role: { type: 'string', default: 'measure' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    'warm-up': { type: 'string', default: '50000' },
    connections: { type: 'string', default: '50' },
    'per-second': { type: 'string', default: '2000' },
    upstream: { type: 'string', default: '' },
  },
})
const self = fileURLToPath(import.meta.url)
const path = '/v1/payment-proxy/transactions/01920000-0000-7000-8000-000000000000'
const gatewayDirectory = join(import.meta.dirname, '..', 'gateway')
const warmUpSecondsMax = 120
const lifted = String(1_000_000_000)
await { upstream, authorizer, bare, measure }[values.role]()

/** Stands for a service, and verifies nothing. */
async function upstream() {
  const body = JSON.stringify({ id: '01920000-0000-7000-8000-000000000000', amount: 1_000, currency: 'EUR' })
  const headers = { 'Content-Type': 'application/json', 'Content-Length': String(body.length) }
  await serve(minimal((_request, response) => response.writeHead(200, headers).end(body)))
}

async function authorizer() {
  await serve(
    minimal((request, response) => {
      response.writeHead(request.headers.authorization?.startsWith('Bearer psk_') ? 204 : 401).end()
    }),
  )
}

/** With the options that the gateway uses, and without what they are for. */
async function bare() {
  const [express, proxy] = ['express', 'express-http-proxy'].map(createRequire(join(gatewayDirectory, 'package.json')))
  const agent = new Agent({ keepAlive: true })
  const app = express().disable('x-powered-by').disable('etag')
  const proxyReqOptDecorator = (options) => ({ ...options, agent, headers: {} })
  app.use(proxy(values.upstream, { parseReqBody: false, proxyReqOptDecorator }))
  await serve(createFastServer(app))
}

function minimal(listener) {
  return createServer({ keepAliveTimeout: 100_000 }, listener)
}

async function serve(server) {
  const [port] = await freePorts(1)
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve))
  process.send({ port })
}

async function measure() {
  const ends = []
  try {
    const variants = await startVariants(ends)
    const generator = await start(ends, join(import.meta.dirname, 'gateway-load.mjs'), [])
    const load = (variant, more) => asked(generator.child, { ...variant.target, ...more })
    const common = { connections: Number(values.connections), seconds: Number(values.seconds) }
    const results = new Map([...variants.keys()].map((name) => [name, []]))
    for (const variant of variants.values()) await warmUp((seconds) => load(variant, { ...common, seconds }))
    for (let round = 0; round < Number(values.rounds); round += 1) {
      for (const [name, variant] of variants) {
        const before = await variant.cpuMs()
        const from = performance.now()
        const saturated = await load(variant, common)
        const seconds = (performance.now() - from) / 1_000
        const after = await variant.cpuMs()
        const paced = await load(variant, { ...common, perSecond: Number(values['per-second']) })
        const failures = [saturated.failures, paced.failures].map((each) => JSON.stringify(each))
        if (failures.some((each) => each !== '{}'))
          throw new Error(`${name}: not every answer was a 200: ${failures.join(' ')}`)
        const each = (part) => (spentMs(before[part], after[part]) * 1_000) / saturated.requests
        results.get(name).push({
          perSecond: saturated.requests / seconds,
          paced,
          proxy: each('proxy'),
          cpu: each('proxy') + each('beside'),
          audit: each('audit'),
        })
      }
    }
    print(results, variants)
  } finally {
    for (const end of ends.reverse()) await end()
  }
}

async function warmUp(loadFor) {
  let requests = 0
  for (let seconds = 0; requests < Number(values['warm-up']) && seconds < warmUpSecondsMax; seconds += 2)
    requests += (await loadFor(2)).requests
  if (requests < Number(values['warm-up'])) console.log(`warmed up with ${requests} requests only`)
}

async function startVariants(ends) {
  const none = new Map()
  const service = await start(ends, self, ['--role', 'upstream'])
  const key = await startGateway(ends, service.hello.port)
  const variants = new Map([
    [
      'direct',
      {
        target: { port: service.hello.port, path, headers: key.headers },
        cpuMs: async () => ({ proxy: none, beside: none, audit: none }),
      },
    ],
  ])
  const proxy = await start(ends, self, ['--role', 'bare', '--upstream', `http://127.0.0.1:${service.hello.port}`])
  variants.set('express-http-proxy', {
    target: { port: proxy.hello.port, path, headers: key.headers },
    cpuMs: async () => ({ proxy: cpuOf([proxy.child.pid]), beside: none, audit: none }),
  })
  const nginx = await startNginx(ends, service.hello.port, () => start(ends, self, ['--role', 'authorizer']))
  for (const [name, { port, proxy, beside }] of nginx) {
    variants.set(name, {
      target: { port, path, headers: key.headers },
      cpuMs: async () => ({ proxy: cpuOf(proxy), beside: cpuOf(beside), audit: none }),
    })
  }
  variants.set('gateway', {
    target: { port: key.port, path, headers: key.headers },
    cpuMs: key.cpuMs,
    rssMb: key.rssMb,
  })
  return variants
}

async function startGateway(ends, upstreamPort) {
  const env = {
    PAYMENT_PROXY_URL: `http://127.0.0.1:${upstreamPort}`,
    REQUESTS_PER_SECOND_PER_KEY: lifted,
    REQUEST_BURST_PER_KEY: lifted,
    REQUESTS_PER_SECOND_PER_TENANT: lifted,
    REQUEST_BURST_PER_TENANT: lifted,
  }
  const world = await constellation({ env })
  ends.push(world.stop)
  const { stdout } = await world.payctl('tenant', 'create', '--name', 'Bench', '--json')
  const { tenant_id: tenantId, api_key: key } = JSON.parse(stdout)
  const sessions = (...services) => databaseSessions(services.map((name) => world.databases[name].url))
  return {
    port: world.ports.gateway,
    headers: { Authorization: `Bearer ${key.value}`, 'Tenant-ID': tenantId },
    cpuMs: async () => ({
      proxy: cpuOf([world.pid('gateway')]),
      beside: cpuOf([world.pid('api-key'), world.pid('rbac'), ...(await sessions('api-key', 'rbac'))]),
      audit: cpuOf([world.pid('audit'), ...(await sessions('audit'))]),
    }),
    rssMb: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${world.pid('gateway')}/status`, 'utf8'))[1]) / 1024,
  }
}

/** The processes that serve these databases; none that can be measured, where PostgreSQL is on another machine. */
async function databaseSessions(urls) {
  const names = urls.map((url) => new URL(url).pathname.slice(1))
  const rows = await withClient(process.env.TEST_DATABASE_URL, async (admin) => {
    const asked = await admin.query('SELECT pid FROM pg_stat_activity WHERE datname = ANY($1)', [names])
    return asked.rows
  })
  return rows.map(({ pid }) => pid).filter((pid) => cpuMs(pid) > 0)
}

function print(results, variants) {
  const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]
  const of = (name, pick) => median(results.get(name).map(pick))
  const round = (number, digits) => Number(number.toFixed(digits))
  const reference = results.has('nginx + auth_request') ? of('nginx + auth_request', ({ cpu }) => cpu) : undefined
  const rows = [...results.keys()].map((name) => ({
    variant: name,
    'requests/s': Math.round(of(name, ({ perSecond }) => perSecond)),
    'CPU µs/request':
      name === 'direct'
        ? null
        : round(
            of(name, ({ cpu }) => cpu),
            1,
          ),
    'of it the proxy':
      name === 'direct'
        ? null
        : round(
            of(name, ({ proxy }) => proxy),
            1,
          ),
    '× auth_request':
      reference === undefined || name === 'direct' ? null : round(of(name, ({ cpu }) => cpu) / reference, 2),
    'audit µs':
      name === 'gateway'
        ? round(
            of(name, ({ audit }) => audit),
            1,
          )
        : null,
    'added p50 ms': round(of(name, ({ paced }) => paced.p50Ms) - of('direct', ({ paced }) => paced.p50Ms), 2),
    'added p99 ms': round(of(name, ({ paced }) => paced.p99Ms) - of('direct', ({ paced }) => paced.p99Ms), 2),
  }))
  const [{ model }] = cpus()
  console.log(
    `Node ${process.version}, ${cpus().length} × ${model}, load ${loadavg()
      .map((one) => one.toFixed(1))
      .join(' ')}`,
  )
  console.log(
    `${values.rounds} rounds of ${values.seconds} s, ${values.connections} connections: saturated, and paced at ${values['per-second']}/s`,
  )
  console.table(rows)
  console.log(`the gateway's memory afterwards: ${Math.round(variants.get('gateway').rssMb())} MB`)
}
