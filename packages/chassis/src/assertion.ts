import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto'
import { gatewayName } from '@payments/contracts/edges'
import { isPermission, type Permission } from '@payments/contracts/permission'
import jwt from 'jsonwebtoken'
import { z } from 'zod'

/**
 * The internal assertion: how a service knows who calls. The sender (the gateway, or another service) signs one JWS per
 * request, HS256, with a key that only the two ends of that edge hold: whoever steals a service's keys can forge
 * nothing except what that process could have said anyway: that it is itself. It names the operation and binds method,
 * target and body, and lives 30 s. A service trusts nothing else in the request. Two parsers may read one target
 * differently, so the service rejects a request that its own router takes for another operation.
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

/** A request as its sender makes it. */
export interface SignedRequest {
  readonly method: string
  /** The request target with its query, exactly as sent. */
  readonly path: string
  /** The operation's name in the contract of the audience: `captureTransaction`. */
  readonly operation: string
  /** The bytes of the body as sent; undefined is a request without a body, which is signed like an empty one. */
  readonly body?: Uint8Array | undefined
}

export function signAssertion(
  assertion: Assertion,
  edge: { issuer: string; audience: string; key: KeyObject },
  request: SignedRequest,
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
    operation: operationName(edge.audience, request.operation),
    body_hash: bodyHash(request.body),
    iat: issuedAt,
    exp: issuedAt + lifetimeSeconds,
  }
  const signed = `${headerOf(edge.issuer)}.${base64url(JSON.stringify(claims))}`
  return `${signed}.${createHmac('sha256', edge.key).update(signed).digest('base64url')}`
}

/** `payment-proxy.captureTransaction` */
export function operationName(service: string, operation: string): string {
  return `${service}.${operation}`
}

/** SHA-256 of the body, base64url; of no bytes where there is no body. */
export function bodyHash(body: Uint8Array | undefined): string {
  return body === undefined || body.length === 0 ? emptyBodyHash : hash('sha256', body, 'base64url')
}

const emptyBodyHash = hash('sha256', '', 'base64url')

/**
 * RFC 7515, compact. Written out for the sender's side alone, which pays for it on each request (docs/decisions/0005);
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
  operation: z.string(),
  body_hash: z.string(),
  iat: z.int(),
  exp: z.int(),
})

type Claims = z.output<typeof claims>

/** undefined where one of them is none of ours. */
function permissionsIn(scope: string): readonly Permission[] | undefined {
  const names = scope === '' ? [] : scope.split(' ')
  return names.every(isPermission) ? names : undefined
}

/** Only the gateway asserts the actors that it has authenticated. Every other process asserts itself, without a tenant. */
function mayAssert(issuer: string, { actor_type: type, sub, tenant_id: tenantId }: Claims): boolean {
  return type === 'service' ? sub === issuer && tenantId === null : issuer === gatewayName
}

/** A verified assertion. The receiver must compare the operation with the one its router finds, and hash the body. */
export interface VerifiedAssertion extends Assertion {
  /** The process whose key verified the signature. */
  readonly issuer: string
  /** With its service: see `operationName`. */
  readonly operation: string
  /** See `bodyHash`. */
  readonly bodyHash: string
}

/**
 * The content of the assertion. Undefined when the assertion is missing, forged or expired, when it was made for another
 * method or target, or when it names an actor for whom its issuer may not speak.
 */
export function verifyAssertion(
  token: string | undefined,
  audience: string,
  keys: AssertionKeys,
  request: { method: string; path: string },
): VerifiedAssertion | undefined {
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
  if (!mayAssert(issuer, data)) return undefined
  const permissions = permissionsIn(data.scope)
  if (permissions === undefined) return undefined
  return {
    issuer,
    tenantId: data.tenant_id,
    actor: { type: data.actor_type, id: data.sub },
    permissions,
    traceId: data.trace_id,
    operation: data.operation,
    bodyHash: data.body_hash,
    ...(data.operator === undefined ? {} : { operator: data.operator }),
  }
}
