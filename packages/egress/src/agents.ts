import { once } from 'node:events'
import http, { type AgentOptions } from 'node:http'
import https from 'node:https'
import type { Duplex } from 'node:stream'
import tls from 'node:tls'
import { readHost } from './destination.ts'
import { LocalFailure } from './local-failure.ts'

/**
 * **What it does.** Opens the connections of requests to tenants' URLs: direct, or as tunnels through an egress proxy
 * (CONNECT, RFC 9110 9.3.6).
 *
 * **Guarantees.** The proxy receives a checked address, never the host name, so it cannot resolve another address. TLS
 * is established through the tunnel with the receiver, under the receiver's name. A tunnel that fails is a local
 * failure when the proxy is unreachable, rejects our credentials (407) or fails (other statuses). 502 and 504 are a
 * failure of the receiver, 403 a blocked address.
 *
 * **Not guaranteed.** That another checked address is tried: a tunnel leads to the first one.
 */
export interface Agents {
  readonly http: http.Agent
  readonly https: https.Agent
}

/** A URL with scheme http or https; user-info is sent as Basic credentials. */
export type EgressProxy = URL

export function createAgents(options: AgentOptions, proxy?: EgressProxy): Agents {
  if (proxy === undefined) return { http: new http.Agent(options), https: new https.Agent(options) }
  return {
    http: openThrough(new http.Agent(options), openTunnel, proxy),
    https: openThrough(new https.Agent(options), openSecuredTunnel, proxy),
  }
}

const receiverUnreachable = new Set([502, 504])

/** The proxy works but opens no tunnel to the receiver. `code` is handled like the code of a failed connection. */
class TunnelRejected extends Error {
  override readonly name = 'TunnelRejected'
  readonly code: 'EGRESS_REFUSED' | 'EGRESS_UNREACHABLE'

  constructor(status: number) {
    super(`the egress proxy responded with ${status}`)
    this.code = status === 403 ? 'EGRESS_REFUSED' : 'EGRESS_UNREACHABLE'
  }
}

type Target = Parameters<http.Agent['createConnection']>[0] & tls.ConnectionOptions
type OnConnected = NonNullable<Parameters<http.Agent['createConnection']>[1]>

const localFailureWaitMs = 5_000
const responseTimeoutMs = 5_000

type Open = (proxy: EgressProxy, target: Target) => Promise<Duplex>

/** The agent, with connections that `open` opens. */
const openThrough = <A extends http.Agent>(agent: A, open: Open, proxy: EgressProxy): A =>
  Object.assign(agent, {
    createConnection: (target: Target, onConnected: OnConnected): undefined => {
      open(proxy, target).then((connection) => onConnected(null, connection), onConnected as (error: Error) => void)
    },
  })

async function openSecuredTunnel(proxy: EgressProxy, target: Target): Promise<Duplex> {
  const socket = await openTunnel(proxy, target)
  const secured = tls.connect({ ...target, socket, servername: target.servername ?? '' })
  try {
    await once(secured, 'secureConnect', { signal: AbortSignal.timeout(responseTimeoutMs) })
    return secured
  } catch (error) {
    secured.destroy()
    throw error
  }
}

async function openTunnel(proxy: EgressProxy, { host, port, lookup }: Target): Promise<Duplex> {
  if (lookup === undefined || typeof host !== 'string') throw new Error('a tunnel needs a checked address')
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
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')
  return new Promise((resolve, reject) => {
    const request = (isSecure ? https : http).request({
      method: 'CONNECT',
      host: readHost(proxy),
      port: proxy.port === '' ? (isSecure ? 443 : 80) : Number(proxy.port),
      path: authority,
      headers: { Host: authority, ...(username === '' ? {} : { 'Proxy-Authorization': `Basic ${credentials}` }) },
      agent: false,
      timeout: responseTimeoutMs,
    })
    const fail = (reason: string, cause?: Error) =>
      reject(new LocalFailure(`the egress proxy ${reason}`, localFailureWaitMs, { cause }))
    request.once('timeout', () => request.destroy(new Error('no response in time')))
    request.once('error', (error) => fail(`cannot be used: ${error.message}`, error))
    // Node emits this event for every response to CONNECT, regardless of its status.
    request.once('connect', ({ statusCode = 0 }, socket) => {
      socket.setTimeout(0)
      if (statusCode >= 200 && statusCode < 300) return resolve(socket)
      socket.destroy()
      if (receiverUnreachable.has(statusCode) || statusCode === 403) reject(new TunnelRejected(statusCode))
      else fail(`responded with ${statusCode}`)
    })
    request.end()
  })
}
