import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { withClient } from '@payments/devkit/servers/databases'
import { until } from '../../until.ts'
import type { Behaviour } from './endpoint.ts'
import type { Tracked, WebhookFault, WebhookRound } from './round.ts'
import { selfSigned } from './self-signed.ts'

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

async function meets(round: WebhookRound, behaviour: Behaviour): Promise<number> {
  const odd = await round.subscribe('odd', { behaviour, eventTypes: ['payment-proxy.*'] })
  await round.pay(payments)
  await noteAttempts(round, odd)
  return 2 * payments
}

/** Waits for an attempt, and notes how the attempts ended. */
async function noteAttempts({ world, notes }: WebhookRound, { id }: Tracked): Promise<void> {
  const sql = `
    SELECT DISTINCT coalesce(a.error_kind, a.status_code::text) AS kind
    FROM deliveries d JOIN attempts a ON a.delivery_id = d.id WHERE d.subscription_id = $1 ORDER BY 1`
  await withClient(world.databaseUrl('webhooks'), (client) =>
    until('recorded attempt', async () => {
      const { rows } = await client.query<{ kind: string }>(sql, [id])
      if (rows.length > 0) notes.push(rows.map(({ kind }) => kind).join(', '))
      return rows.length > 0
    }),
  )
}

async function meetsBadCertificate(round: WebhookRound): Promise<number> {
  const server = createServer(selfSigned, (_, response) => response.writeHead(200).end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const odd = await round.subscribe('odd', { url: `https://127.0.0.1:${port}/`, eventTypes: ['payment-proxy.*'] })
  await round.pay(payments)
  await noteAttempts(round, odd)
  await withClient(round.world.databaseUrl('webhooks'), (client) =>
    until('end of the attempts', async () => {
      const sql = `SELECT 1 FROM deliveries WHERE subscription_id = $1 AND status <> 'dead'`
      return (await client.query(sql, [odd.id])).rowCount === 0
    }),
  )
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  return 2 * payments
}

/**
 * The name resolves to the receiver, which fails, and then to a metadata address. No request may reach that address or
 * another.
 */
async function meetsFlippingName(round: WebhookRound): Promise<number> {
  const { dns, endpoint } = round.world
  const host = 'receiver.example.com'
  dns.setAddresses(host, ['127.0.0.1'])
  const flip: Behaviour = () => {
    dns.setAddresses(host, ['169.254.169.254'])
    return { status: 500 }
  }
  const odd = await round.subscribe('odd', {
    url: `http://${host}:${endpoint.port}/NAME`,
    behaviour: flip,
    eventTypes: ['payment-proxy.transactions.create'],
  })
  await round.pay(1)
  await endpoint.waitFor(({ path }) => path === `/${odd.name}`)
  await round.pay(payments)
  const before = endpoint.receivedAt(odd.name).length
  await noteAttempts(round, odd)
  await round.pay(1)
  if (endpoint.receivedAt(odd.name).length > before)
    throw new Error('a name that leads elsewhere was still delivered to')
  return payments + 1
}

export const endpointFaults: readonly WebhookFault[] = [
  ...Object.entries(endings).map(
    ([name, behaviour]): WebhookFault => ({
      name: `endpoint ${name}`,
      withoutLoad: true,
      run: (round) => meets(round, behaviour),
    }),
  ),
  { name: 'endpoint has a bad certificate', withoutLoad: true, run: meetsBadCertificate },
  { name: 'name of the endpoint leads elsewhere', withoutLoad: true, run: meetsFlippingName },
]
