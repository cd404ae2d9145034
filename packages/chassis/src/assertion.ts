import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto'
import { isPermission, type Permission } from '@payments/contracts/permission'
import jwt from 'jsonwebtoken'
import { z } from 'zod'

/**
 * The internal assertion: how a service knows who calls. The sender (the gateway, or another service) signs one JWS per
 * request, HS256, with a key that only the two ends of that edge hold: whoever steals a service's keys can forge
 * nothing but what that service could have said anyway. It binds method and path, lives 30 s, and a service trusts
 * nothing else in the request.
 */
export const assertionHeader = 'internal-assertion'
const lifetimeSeconds = 30
const algorithm = 'HS256'

export interface Assertion {
  /** null for a process of ours acting for no tenant. */
  readonly tenantId: string | null
  readonly actor: { readonly type: 'api_key' | 'user' | 'service' | 'anonymous'; readonly id: string }
  readonly permissions: readonly Permission[]
  readonly traceId: string
  /** The person behind a call of payctl, as its configuration names them. */
  readonly operator?: string
}

/** base64 of 32 bytes each, by the name of the process at the other end of the edge. */
export type AssertionKeys = ReadonlyMap<string, KeyObject>

const keyBytes = 32
/** 32 random bytes have fewer different values than this once in 10¹⁵ keys. */
const differentBytesMin = 16

export const assertionKeys = z.record(z.string(), z.string()).transform((record, context): AssertionKeys => {
  const keys = new Map<string, KeyObject>()
  for (const [name, encoded] of Object.entries(record)) {
    const bytes = Buffer.from(encoded, 'base64')
    const issue = (message: string) => context.addIssue({ code: 'custom', message: `${name}: ${message}` })
    if (bytes.length !== keyBytes) issue('must be base64 of 32 bytes')
    else if (new Set(bytes).size < differentBytesMin) issue('looks like a default: use 32 random bytes')
    else keys.set(name, createSecretKey(bytes))
  }
  return keys
})

/** `path` is the request target with its query, exactly as sent. */
export function signAssertion(
  assertion: Assertion,
  edge: { issuer: string; audience: string; key: KeyObject },
  request: { method: string; path: string },
): string {
  const issuedAt = Math.floor(Date.now() / 1000)
  const claims: Claims = {
    iss: edge.issuer,
    aud: edge.audience,
    sub: assertion.actor.id,
    actor_type: assertion.actor.type,
    tenant_id: assertion.tenantId,
    scope: scopeOf(assertion.permissions),
    trace_id: assertion.traceId,
    ...(assertion.operator === undefined ? {} : { operator: assertion.operator }),
    method: request.method,
    path_hash: hash('sha256', request.path, 'base64url'),
    iat: issuedAt,
    exp: issuedAt + lifetimeSeconds,
  }
  const signed = `${headerOf(edge.issuer)}.${base64url(JSON.stringify(claims))}`
  return `${signed}.${createHmac('sha256', edge.key).update(signed).digest('base64url')}`
}

/**
 * RFC 7515, compact. Written out for the sender's side alone, which pays for it on each request (docs/decisions/0091);
 * the receiver's side trusts nothing of ours and leaves it to jsonwebtoken.
 */
function headerOf(issuer: string): string {
  let header = headers.get(issuer)
  if (header === undefined) {
    header = base64url(JSON.stringify({ alg: algorithm, typ: 'JWT', kid: issuer }))
    headers.set(issuer, header)
  }
  return header
}

/** By issuer: there are as many as we have processes. The header names the key, so it is found before anything is parsed. */
const headers = new Map<string, string>()

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url')
}

/** RFC 8693, 4.2: names apart by spaces. Whoever remembers what a credential may do has the same array for it each time. */
function scopeOf(permissions: readonly Permission[]): string {
  let scope = scopes.get(permissions)
  if (scope === undefined) {
    scope = permissions.join(' ')
    scopes.set(permissions, scope)
  }
  return scope
}

const scopes = new WeakMap<readonly Permission[], string>()

export const operatorCharactersMax = 200

const claims = z.object({
  iss: z.string(),
  aud: z.string(),
  sub: z.string(),
  actor_type: z.enum(['api_key', 'user', 'service', 'anonymous']),
  tenant_id: z.string().nullable(),
  scope: z.string(),
  trace_id: z.string(),
  operator: z.string().min(1).max(operatorCharactersMax).optional(),
  method: z.string(),
  path_hash: z.string(),
  iat: z.int(),
  exp: z.int(),
})

type Claims = z.output<typeof claims>

/** undefined where one of them is none of ours. */
function permissionsIn(scope: string): readonly Permission[] | undefined {
  const names = scope === '' ? [] : scope.split(' ')
  return names.every(isPermission) ? names : undefined
}

/** What the assertion says, or undefined where it is missing, forged, expired, or made for another request. */
export function verifyAssertion(
  token: string | undefined,
  audience: string,
  keys: AssertionKeys,
  request: { method: string; path: string },
): (Assertion & { issuer: string }) | undefined {
  if (token === undefined || token.length > 16_384) return undefined
  const edge = [...keys].find(([issuer]) => token.startsWith(`${headerOf(issuer)}.`))
  if (edge === undefined) return undefined
  const [issuer, key] = edge
  let verified: unknown
  try {
    verified = jwt.verify(token, key, { algorithms: [algorithm], audience, issuer, maxAge: lifetimeSeconds })
  } catch (error) {
    if (error instanceof jwt.JsonWebTokenError) return undefined
    throw error
  }
  const parsed = claims.safeParse(verified)
  if (!parsed.success) return undefined
  const { data } = parsed
  if (data.method !== request.method || data.path_hash !== hash('sha256', request.path, 'base64url')) return undefined
  const permissions = permissionsIn(data.scope)
  if (permissions === undefined) return undefined
  return {
    issuer,
    tenantId: data.tenant_id,
    actor: { type: data.actor_type, id: data.sub },
    permissions,
    traceId: data.trace_id,
    ...(data.operator === undefined ? {} : { operator: data.operator }),
  }
}
