import type { KeyObject } from 'node:crypto'
import { Readable } from 'node:stream'
import { assertionHeader, signAssertion } from '@payments/chassis/assertion'
import type { NextFunction, Request, Response } from 'express'
import { Pool } from 'undici'
import type { Judgement } from '../authority.ts'
import type { Exchange } from '../exchange.ts'
import { Passage } from './passage.ts'

/**
 * Forwards a request to its service; passage.ts streams the answer back.
 *
 * Guarantees. What goes up is made here, per request, from an allow-list: nothing of one caller can reach the request of
 * another, and no header of a client is trusted. What comes down passes an allow-list too, so no hop-by-hop header
 * crosses either way. The target goes as it came. Bodies pass byte for byte, one chunk at a time, and of an announced
 * length neither more nor less.
 */
export interface Upstream {
  readonly url: string
  /** Signs the assertions for this service. */
  readonly key: KeyObject
}

export interface Forwarding {
  readonly upstreams: ReadonlyMap<string, Upstream & { readonly connections: Pool }>
  readonly deadlineMs: number
  /** Ends every connection, and whatever is still under way on it. */
  close(): Promise<void>
}

const self = 'gateway'

/** Idle connections are closed before the services' own 100 s are over, so that none is used as it is being closed. */
const idleMs = 60_000
const connectionsMax = 256

export function createForwarding(upstreams: ReadonlyMap<string, Upstream>, deadlineMs = 30_000): Forwarding {
  const connected = new Map(
    [...upstreams].map(([service, { url, key }]) => [
      service,
      { url, key, connections: connectionsTo(url, deadlineMs) },
    ]),
  )
  return {
    upstreams: connected,
    deadlineMs,
    close: async () => {
      await Promise.all([...connected.values()].map(({ connections }) => connections.destroy()))
    },
  }
}

/** The one deadline is that of the passage: undici's own, of a phase each, are off. */
function connectionsTo(url: string, deadlineMs: number): Pool {
  return new Pool(url, {
    connections: connectionsMax,
    pipelining: 1,
    connectTimeout: deadlineMs,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

const requestHeaders = ['accept', 'content-type', 'content-encoding', 'content-length', 'idempotency-key'] as const

export interface Forwarded {
  readonly service: string
  readonly judgement: Judgement
  /** null where it is still in the request, to be streamed. */
  readonly body: Buffer | null
  readonly exchange: Exchange
}

export function forward(
  { upstreams, deadlineMs }: Forwarding,
  forwarded: Forwarded,
  request: Request,
  response: Response,
  next: NextFunction,
): void {
  const upstream = upstreams.get(forwarded.service)
  if (upstream === undefined) throw new Error(`there is no upstream for ${forwarded.service}`)
  const { url: path, method } = request
  const passage = new Passage(forwarded.service, request, response, next, deadlineMs)
  const headers = headersFor(upstream, forwarded, request)
  upstream.connections.dispatch({ path, method, headers, body: forwarded.body ?? bodyOf(request) }, passage)
}

/** Not the request itself: what reads it would destroy it, and with it the connection that is to be answered on. */
function bodyOf(request: Request): Readable | null {
  const length = request.headers['content-length']
  if (length === undefined || Number(length) === 0) return null
  return Readable.from(request.iterator({ destroyOnReturn: false }))
}

function headersFor(upstream: Upstream, { service, judgement, exchange }: Forwarded, request: Request): string[] {
  const { tenantId, actor, permissions } = judgement
  const assertion = signAssertion(
    { tenantId, actor, permissions, traceId: exchange.traceId },
    { issuer: self, audience: service, key: upstream.key },
    { method: request.method, path: request.url },
  )
  const headers = [assertionHeader, assertion]
  for (const name of requestHeaders) {
    const value = request.headers[name]
    if (typeof value === 'string') headers.push(name, value)
  }
  return headers
}
