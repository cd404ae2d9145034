import { createHash } from 'node:crypto'
import {
  type Agent,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
} from 'node:http'
import { promisify } from 'node:util'
import { verifyAssertion } from '@payments/chassis/assertion/assertion'
import { listListeners } from '@payments/chassis/process/serve'
import { createForwarding } from '../src/pipeline/forward.ts'
import { credentialHeaders, startWorld, type TestTenant, type World } from './world.ts'

/** The forwarding deadline in the tests of a failing service. */
export const deadlineMs = 2_500
export const path = '/v1/payment-proxy/transactions'

/** Starts a gateway with this forwarding deadline. */
export function startForwardingWorld(serviceDeadlineMs: number): Promise<World> {
  return startWorld({
    alter: (deps) => ({ ...deps, forwarding: createForwarding(deps.forwarding.upstreams, serviceDeadlineMs) }),
  })
}

export function readBytes(stream: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('end', () => resolve(Buffer.concat(chunks)))
    stream.on('error', reject)
  })
}

/** The upstream responds with a digest of the body. Returns the received requests with their callers. */
export function echoRequests(world: World): { headers: string[]; caller: ReturnType<typeof callerIn> }[] {
  const received: { headers: string[]; caller: ReturnType<typeof callerIn> }[] = []
  world.upstream.respond(async (incoming, response) => {
    received.push({ headers: incoming.rawHeaders, caller: callerIn(world, incoming) })
    const body = await readBytes(incoming)
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify({ sha256: createHash('sha256').update(body).digest('hex'), bytes: body.length }))
  })
  return received
}

/** Verifies the assertion with the code of the services. */
function callerIn(world: World, incoming: IncomingMessage) {
  const key = world.edges.get('payment-proxy')
  if (key === undefined) throw new Error('no edge')
  const request = { method: incoming.method ?? '', path: incoming.url ?? '' }
  return verifyAssertion(
    String(incoming.headers['internal-assertion']),
    'payment-proxy',
    new Map([['gateway', key]]),
    request,
  )
}

/** Starts a request; the test controls each step. */
export function begin(world: World, tenant: TestTenant, method: string, headers: OutgoingHttpHeaders, agent?: Agent) {
  const sent = httpRequest(`${world.url}${path}`, {
    method,
    headers: { ...credentialHeaders(tenant.admin), ...headers },
    agent,
  })
  const responded = new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('response', resolve)
    sent.on('error', reject)
  })
  return { sent, responded }
}

export const sha256 = (body: Buffer) => createHash('sha256').update(body).digest('hex')

/** Counts the open connections of a server. */
export async function countConnections(server: Server): Promise<number> {
  const counts = await Promise.all(
    listListeners(server).map((listener) => promisify<number>((done) => listener.getConnections(done))()),
  )
  return counts.reduce((sum, count) => sum + count, 0)
}
