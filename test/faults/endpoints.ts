import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { withClient } from '@payments/devkit/servers/databases'
import type { Behaviour } from './endpoint.ts'
import type { Fault, Injection } from './fault.ts'
import type { Scenario, Tracked } from './scenario.ts'
import { selfSigned } from './self-signed.ts'
import { until } from './until.ts'

/** Faults of a receiver, beside healthy receivers of the same tenant. */
const payments = 4

const endings: Record<string, Behaviour> = {
  hangs: () => undefined,
  trickles: (_, response) => {
    const tick = setInterval(() => response.write('x'), 50)
    response.once('close', () => clearInterval(tick))
    return undefined
  },
  'sends a gigabyte': (_, response) => {
    const chunk = Buffer.alloc(64 * 1024, 'x')
    let left = 1024 ** 3 / chunk.length
    const more = () => {
      while (left-- > 0 && !response.destroyed && response.write(chunk));
    }
    response.writeHead(200)
    response.on('drain', more)
    more()
    return undefined
  },
  resets: (_, response) => {
    response.socket?.resetAndDestroy()
    return undefined
  },
  'responds 307': () => ({ status: 307, headers: { location: 'http://169.254.169.254/latest/meta-data' } }),
  'responds 204': () => ({ status: 204 }),
  'responds 410': () => ({ status: 410 }),
  'responds 429 with Retry-After': (_one, _response, nth) =>
    nth === 1 ? { status: 429, headers: { 'retry-after': '1' } } : { status: 200 },
  'responds with a gzip bomb': () => ({ status: 200, headers: { 'content-encoding': 'gzip' }, body: bomb }),
}
const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024))

async function meets(scenario: Scenario, behaviour: Behaviour): Promise<Injection> {
  const odd = await scenario.subscribe('odd', { behaviour, eventTypes: ['payment-proxy.*'] })
  await scenario.pay(payments)
  return seen(scenario, odd)
}

/** After one attempt per delivery: the number of attempts and their error kinds. */
async function seen({ world }: Scenario, { id }: Tracked): Promise<Injection> {
  const sql = `
    SELECT coalesce(a.error_kind, a.status_code::text) AS kind, count(*)::int AS count, count(DISTINCT d.id)::int AS deliveries
    FROM deliveries d JOIN attempts a ON a.delivery_id = d.id WHERE d.subscription_id = $1 GROUP BY 1 ORDER BY 1`
  return withClient(world.databaseOf('webhooks'), async (client) => {
    let kinds: { kind: string; count: number; deliveries: number }[] = []
    await until('attempt put down', async () => {
      kinds = (await client.query<(typeof kinds)[number]>(sql, [id])).rows
      return kinds.length > 0
    })
    return { times: 2 * payments, note: kinds.map(({ kind }) => kind).join(', ') }
  })
}

async function meetsBadCertificate(scenario: Scenario): Promise<Injection> {
  const server = createServer(selfSigned, (_, response) => response.writeHead(200).end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const odd = await scenario.subscribe('odd', { url: `https://127.0.0.1:${port}/`, eventTypes: ['payment-proxy.*'] })
  await scenario.pay(payments)
  const injection = await seen(scenario, odd)
  const { databaseOf } = scenario.world
  await withClient(databaseOf('webhooks'), (client) =>
    until('end of the attempts', async () => {
      const sql = `SELECT 1 FROM deliveries WHERE subscription_id = $1 AND status <> 'dead'`
      return (await client.query(sql, [odd.id])).rowCount === 0
    }),
  )
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  return injection
}

/**
 * The name resolves to the receiver, which fails, and then to a metadata address. No request may reach that address or
 * another.
 */
async function meetsFlippingName(scenario: Scenario): Promise<Injection> {
  const { dns, endpoint } = scenario.world
  const host = 'receiver.example.com'
  dns.setAddresses(host, ['127.0.0.1'])
  const flip: Behaviour = () => {
    dns.setAddresses(host, ['169.254.169.254'])
    return { status: 500 }
  }
  const odd = await scenario.subscribe('odd', {
    url: `http://${host}:${endpoint.port}/NAME`,
    behaviour: flip,
    eventTypes: ['payment-proxy.transactions.create'],
  })
  await scenario.pay(1)
  await endpoint.waitFor(({ path }) => path === `/${odd.name}`)
  await scenario.pay(payments)
  const before = endpoint.receivedAt(odd.name).length
  const injection = await seen(scenario, odd)
  await scenario.pay(1)
  if (endpoint.receivedAt(odd.name).length > before)
    throw new Error('a name that leads elsewhere was still delivered to')
  return { ...injection, times: payments + 1 }
}

export const endpointFaults: readonly Fault[] = [
  ...Object.entries(endings).map(
    ([name, behaviour]): Fault => ({ name: `endpoint ${name}`, run: (scenario) => meets(scenario, behaviour) }),
  ),
  { name: 'endpoint has a bad certificate', run: meetsBadCertificate },
  { name: 'name of the endpoint leads elsewhere', run: meetsFlippingName },
]
