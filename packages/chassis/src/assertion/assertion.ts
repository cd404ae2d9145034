import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto'
import { gatewayName } from '@payments/contracts/edges/calls'
import { isPermission, type Permission, permissionNames } from '@payments/contracts/grammar/permission'
import jwt from 'jsonwebtoken'
import { z } from 'zod'
import type { Browser } from '../base/caller.ts'

/**
 * **What it does.** Authenticates one process to another. The sender signs one JWS (HS256) per request, and the service
 * verifies it first.
 *
 * **Guarantees.** - The assertion names caller, tenant, those permissions of the caller that the operation needs or
 * reads, trace id and operation, and binds
 *   method, target and the bytes of the body. It is valid for 30 s, for one audience.
 * - The gateway alone may name an API key or a user. The keys of another process can only act as that process.
 * - The service rejects a request that its own router takes for another operation.
 *
 * **Not guaranteed.** Protection against replay: within 30 s the same request can be sent again.
 */
export const assertionHeader = 'internal-assertion'
const lifetimeSeconds = 30
const algorithm = 'HS256'

export interface Assertion {
  /** null for a process that acts without a tenant. */
  readonly tenantId: string | null
  readonly actor: { readonly type: 'api_key' | 'user' | 'service' | 'anonymous'; readonly id: string }
  /** Those that the operation needs, and those that its handler reads (`readsPermissions`). */
  readonly permissions: readonly Permission[]
  readonly traceId: string
  /** The operator of a call of payctl, named by the configuration of payctl. */
  readonly operator?: string
  /** See `Caller`. */
  readonly sessionId?: string
  readonly isSessionToken?: boolean
  readonly roleIds?: readonly string[]
  readonly roleNames?: readonly string[]
  /** See `PublicCaller`. */
  readonly browser?: Browser
}

/** base64 of 32 bytes each, by the name of the process at the other end of the edge. */
export type AssertionKeys = ReadonlyMap<string, KeyObject>

const keyBytes = 32
/** 32 random bytes have fewer different values than this once in 10¹⁵ keys. */
const distinctBytesMin = 16

export const assertionKeys = z.record(z.string(), z.string()).transform((record, context): AssertionKeys => {
  const keys = new Map<string, KeyObject>()
  for (const [name, encoded] of Object.entries(record)) {
    const bytes = Buffer.from(encoded, 'base64')
    const issue = (message: string) => context.addIssue({ code: 'custom', message: `${name}: ${message}` })
    if (bytes.length !== keyBytes) issue('must be base64 of 32 bytes')
    else if (new Set(bytes).size < distinctBytesMin) issue('looks like a default: use 32 random bytes')
    else keys.set(name, createSecretKey(bytes))
  }
  return keys
})

export interface SignedRequest {
  readonly method: string
  /** The request target with its query, exactly as sent. */
  readonly path: string
  /** The name of the operation in the contract of the audience: `captureTransaction`. */
  readonly operation: string
  /** The bytes of the body as sent. A request without a body (undefined) is signed like one with an empty body. */
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
    scope: presentScope(assertion.permissions),
    trace_id: assertion.traceId,
    ...(assertion.operator === undefined ? {} : { operator: assertion.operator }),
    ...(assertion.sessionId === undefined ? {} : { session_id: assertion.sessionId }),
    ...(assertion.isSessionToken === true ? { session_token: true } : {}),
    ...(assertion.roleIds === undefined ? {} : { role_ids: [...assertion.roleIds] }),
    ...(assertion.roleNames === undefined ? {} : { role_names: [...assertion.roleNames] }),
    ...(assertion.browser === undefined ? {} : { browser: assertion.browser }),
    method: request.method,
    path_hash: hash('sha256', request.path, 'base64url'),
    operation: operationName(edge.audience, request.operation),
    body_hash: bodyHash(request.body),
    iat: issuedAt,
    exp: issuedAt + lifetimeSeconds,
  }
  const signed = `${encodeHeader(edge.issuer)}.${base64url(JSON.stringify(claims))}`
  return `${signed}.${createHmac('sha256', edge.key).update(signed).digest('base64url')}`
}

/** `payment-proxy.captureTransaction` */
export function operationName(service: string, operation: string): string {
  return `${service}.${operation}`
}

/** SHA-256 of the body in base64url; without a body, of zero bytes. */
export function bodyHash(body: Uint8Array | undefined): string {
  return body === undefined || body.length === 0 ? emptyBodyHash : hash('sha256', body, 'base64url')
}

const emptyBodyHash = hash('sha256', '', 'base64url')

/**
 * RFC 7515, compact serialization. The sender builds the token itself, because it does so for each request
 * (docs/decisions/0005). The receiver verifies with jsonwebtoken.
 */
function encodeHeader(issuer: string): string {
  let header = headers.get(issuer)
  if (header === undefined) {
    header = base64url(JSON.stringify({ alg: algorithm, typ: 'JWT', kid: issuer }))
    headers.set(issuer, header)
  }
  return header
}

/**
 * By issuer; bounded by the number of processes. The header names the key, so a receiver finds the key before it parses
 * anything.
 */
const headers = new Map<string, string>()

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url')
}

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
  session_id: z.string().optional(),
  session_token: z.boolean().optional(),
  role_ids: z.array(z.string()).optional(),
  role_names: z.array(z.string()).optional(),
  browser: z
    .object({
      address: z.string(),
      userAgent: z.string().nullable(),
      cookies: z.record(z.string(), z.string()),
      load: z.enum(['embedded', 'foreign_link']).optional(),
    })
    .optional(),
  method: z.string(),
  path_hash: z.string(),
  operation: z.string(),
  body_hash: z.string(),
  iat: z.int(),
  exp: z.int(),
})

type Claims = z.output<typeof claims>

const everyPermission = '*'

/**
 * Names separated by spaces (RFC 8693, 4.2). A caller with every permission of the release of the gateway has every
 * permission of the release of the service: during a rollout, the service may know more of them.
 */
function presentScope(permissions: readonly Permission[]): string {
  // The length first: most callers name one or two.
  const isEvery =
    permissions.length >= permissionNames.length && permissionNames.every((name) => permissions.includes(name))
  return isEvery ? everyPermission : permissions.join(' ')
}

/** Undefined if a name is not a permission. */
function parseScope(scope: string): readonly Permission[] | undefined {
  if (scope === everyPermission) return permissionNames
  const names = scope === '' ? [] : scope.split(' ')
  return names.every(isPermission) ? names : undefined
}

/** The gateway asserts the actors that it has authenticated. Every other process asserts itself, without a tenant. */
function mayAssert(issuer: string, { actor_type: type, sub, tenant_id: tenantId }: Claims): boolean {
  return type === 'service' ? sub === issuer && tenantId === null : issuer === gatewayName
}

/** A verified assertion. The receiver must still compare the operation with its route, and the hash with the body. */
export interface VerifiedAssertion extends Assertion {
  /** The process whose key verified the signature. */
  readonly issuer: string
  /** Includes the service: see `operationName`. */
  readonly operation: string
  /** See `bodyHash`. */
  readonly bodyHash: string
}

/**
 * The content of the assertion. Undefined if the assertion is missing, forged or expired, was signed for another method
 * or target, or names an actor that its issuer may not assert.
 */
export function verifyAssertion(
  token: string | undefined,
  audience: string,
  keys: AssertionKeys,
  request: { method: string; path: string },
): VerifiedAssertion | undefined {
  if (token === undefined || token.length > 16_384) return undefined
  const edge = [...keys].find(([issuer]) => token.startsWith(`${encodeHeader(issuer)}.`))
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
  const permissions = parseScope(data.scope)
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
    ...(data.session_id === undefined ? {} : { sessionId: data.session_id }),
    ...(data.session_token === undefined ? {} : { isSessionToken: data.session_token }),
    ...(data.role_ids === undefined ? {} : { roleIds: data.role_ids }),
    ...(data.role_names === undefined ? {} : { roleNames: data.role_names }),
    ...(data.browser === undefined ? {} : { browser: toBrowser(data.browser) }),
  }
}

function toBrowser({ load, ...browser }: NonNullable<Claims['browser']>): Browser {
  return load === undefined ? browser : { ...browser, load }
}
