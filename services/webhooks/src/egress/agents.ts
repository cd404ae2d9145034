import { once } from 'node:events'
import http, { type AgentOptions } from 'node:http'
import https from 'node:https'
import type { Duplex } from 'node:stream'
import tls from 'node:tls'
import { basic } from '../domain/credentials.ts'
import { hostOf } from '../domain/destination.ts'
import { LocalFailure } from '../domain/local-failure.ts'

/**
 * The connections that requests to tenants' URLs are made on: direct ones, or, where an egress proxy is set, tunnels through it
 * (CONNECT, RFC 9110 9.3.6). The proxy is told the vetted address, never the name, so that it cannot look up another; TLS goes
 * through the tunnel to the receiver, under the receiver's name.
 *
 * Whose fault it is when there is no tunnel: the proxy cannot be reached, wants other credentials (407) or fails (other
 * statuses): ours, uncharged. It cannot reach the receiver (502, 504): the receiver's. It will not (403): a blocked address.
 */
export interface Agents {
  readonly http: http.Agent
  readonly https: https.Agent
}

/** A URL with scheme http or https; user-info is sent as Basic credentials. */
export type EgressProxy = URL

export function createAgents(options: AgentOptions, proxy?: EgressProxy): Agents {
  if (proxy === undefined) return { http: new http.Agent(options), https: new https.Agent(options) }
  return { http: new HttpTunnels(options, proxy), https: new HttpsTunnels(options, proxy) }
}

const receiverUnreachable = new Set([502, 504])

/** The proxy stands, and there is no way through it to the receiver. `code` is read as that of a failed connection. */
export class TunnelRefused extends Error {
  override readonly name = 'TunnelRefused'
  readonly code: 'EGRESS_REFUSED' | 'EGRESS_UNREACHABLE'

  constructor(status: number) {
    super(`the egress proxy answered ${status}`)
    this.code = status === 403 ? 'EGRESS_REFUSED' : 'EGRESS_UNREACHABLE'
  }
}

type Target = Parameters<http.Agent['createConnection']>[0] & tls.ConnectionOptions
type Connected = NonNullable<Parameters<http.Agent['createConnection']>[1]>

const ownFaultWaitMs = 5_000
const answerTimeoutMs = 5_000

class HttpTunnels extends http.Agent {
  readonly #proxy: EgressProxy

  constructor(options: AgentOptions, proxy: EgressProxy) {
    super(options)
    this.#proxy = proxy
  }

  override createConnection(target: Target, connected: Connected): undefined {
    hand(openTunnel(this.#proxy, target), connected)
  }
}

class HttpsTunnels extends https.Agent {
  readonly #proxy: EgressProxy

  constructor(options: AgentOptions, proxy: EgressProxy) {
    super(options)
    this.#proxy = proxy
  }

  override createConnection(target: Target, connected: Connected): undefined {
    hand(openSecuredTunnel(this.#proxy, target), connected)
  }
}

function hand(opening: Promise<Duplex>, connected: Connected): void {
  opening.then((connection) => connected(null, connection), connected as (error: Error) => void)
}

async function openSecuredTunnel(proxy: EgressProxy, target: Target): Promise<Duplex> {
  const socket = await openTunnel(proxy, target)
  const secured = tls.connect({ ...target, socket, servername: target.servername ?? '' })
  try {
    await once(secured, 'secureConnect', { signal: AbortSignal.timeout(answerTimeoutMs) })
    return secured
  } catch (error) {
    secured.destroy()
    throw error
  }
}

async function openTunnel(proxy: EgressProxy, { host, port, lookup }: Target): Promise<Duplex> {
  if (lookup === undefined || typeof host !== 'string') throw new Error('a tunnel leads to vetted addresses only')
  const address = await new Promise<string>((resolve, reject) => {
    lookup(host, { all: false }, (error, found) => {
      if (error !== null) reject(error)
      else resolve(typeof found === 'string' ? found : (found[0]?.address ?? ''))
    })
  })
  return connectThrough(proxy, address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`)
}

function connectThrough(proxy: EgressProxy, authority: string): Promise<Duplex> {
  const isSecure = proxy.protocol === 'https:'
  const { username, password } = proxy
  const credentials = basic(decodeURIComponent(username), decodeURIComponent(password))
  return new Promise((resolve, reject) => {
    const request = (isSecure ? https : http).request({
      method: 'CONNECT',
      host: hostOf(proxy),
      port: proxy.port === '' ? (isSecure ? 443 : 80) : Number(proxy.port),
      path: authority,
      headers: { Host: authority, ...(username === '' ? {} : { 'Proxy-Authorization': credentials }) },
      agent: false,
      timeout: answerTimeoutMs,
    })
    const fail = (reason: string, cause?: Error) =>
      reject(new LocalFailure(`the egress proxy ${reason}`, ownFaultWaitMs, { cause }))
    request.once('timeout', () => request.destroy(new Error('no answer in time')))
    request.once('error', (error) => fail(`cannot be used: ${error.message}`, error))
    // Node tells every answer to CONNECT by this event, whatever its status.
    request.once('connect', ({ statusCode = 0 }, socket) => {
      socket.setTimeout(0)
      if (statusCode >= 200 && statusCode < 300) return resolve(socket)
      socket.destroy()
      if (receiverUnreachable.has(statusCode) || statusCode === 403) reject(new TunnelRefused(statusCode))
      else fail(`answered ${statusCode}`)
    })
    request.end()
  })
}
