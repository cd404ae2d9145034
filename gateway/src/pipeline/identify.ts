import { newId } from '@payments/chassis/id'
import { commonProblems, Problem } from '@payments/contracts/problem'
import type { Request } from 'express'
import { callerAddress, connectionAddress } from './client-ip.ts'
import type { Exchange, SingleHeader } from './request-context.ts'

const canonicalNames: Readonly<Record<SingleHeader, string>> = {
  authorization: 'Authorization',
  'tenant-id': 'Tenant-ID',
  'trace-id': 'Trace-ID',
  'idempotency-key': 'Idempotency-Key',
  host: 'Host',
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function isUuid(value: string | undefined): value is string {
  return value !== undefined && uuid.test(value)
}

/** Reads what identifies the request. Refuses nothing, so that the refusals after it can be told under its trace id. */
export function identify(request: Request, trustedProxies: number): Exchange {
  const given = singleHeaders(request.rawHeaders)
  const [traceId, ...others] = given['trace-id']
  const address = callerAddress(request, trustedProxies)
  const { originalUrl: target } = request
  const end = target.search(/[?#]/)
  return {
    traceId: isUuid(traceId) && others.length === 0 ? traceId : newId(),
    arrivedAt: performance.now(),
    path: end === -1 ? target : target.slice(0, end),
    address: address ?? connectionAddress(request),
    isAddressKnown: address !== undefined,
    given,
    route: undefined,
    principal: undefined,
    quotas: undefined,
    forwarded: undefined,
    unverified: undefined,
  }
}

/** RFC 9112: HTTP/1.1 has a Host. A header given twice may be read differently by two readers; Node itself drops a second Authorization silently. */
export function refuseUnreadableHeaders(request: Request, { given }: Exchange): void {
  const names = Object.keys(given) as SingleHeader[]
  const errors = names
    .filter((name) => given[name].length > 1)
    .map((name) => ({ pointer: `/headers/${canonicalNames[name]}`, detail: 'must be given once' }))
  if (given.host.length === 0 && request.httpVersion === '1.1') {
    errors.push({ pointer: '/headers/Host', detail: 'is missing' })
  }
  if (switchesProtocol(request)) errors.push({ pointer: '/headers/Upgrade', detail: 'is not supported' })
  if (errors.length > 0) throw new Problem(commonProblems.invalid_header, { errors })
}

/** RFC 9110, 7.8. An offer of HTTP/2 is ignored, as the RFC allows: some clients make it with every first request. */
function switchesProtocol({ headers }: Request): boolean {
  return headers.upgrade !== undefined && headers.upgrade.toLowerCase() !== 'h2c'
}

/** Limits and allowed addresses go by the caller's address: where it is not known there is nothing to go by. */
export function refuseUnknownAddress({ isAddressKnown }: Exchange): void {
  if (isAddressKnown) return
  const detail = 'does not say where the request comes from'
  throw new Problem(commonProblems.invalid_header, { errors: [{ pointer: '/headers/X-Forwarded-For', detail }] })
}

function singleHeaders(rawHeaders: readonly string[]): Record<SingleHeader, string[]> {
  const given: Record<SingleHeader, string[]> = {
    authorization: [],
    'tenant-id': [],
    'trace-id': [],
    'idempotency-key': [],
    host: [],
  }
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]?.toLowerCase() ?? ''
    if (Object.hasOwn(given, name)) given[name as SingleHeader].push(rawHeaders[i + 1] ?? '')
  }
  return given
}
