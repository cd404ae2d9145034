/**
 * **What it does.** An OpenID provider on loopback that signs in the person of the test at once, and can break each of
 * its promises. It checks what an honest provider checks: client secret, redirect URI, PKCE, one use of a code.
 *
 * **Not guaranteed.** The behaviour of a product: devkit has a real provider for that (`sign-in/provider.ts`).
 */
import { createHmac, generateKeyPairSync, hash, type KeyObject, randomBytes, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listen, stopServer } from '@payments/chassis/process/serve'

export type SignInFault =
  | 'wrong state'
  | 'wrong nonce'
  | 'wrong issuer'
  | 'wrong issuer of the response'
  | 'no issuer of the response'
  | 'wrong audience'
  | 'expired ID token'
  | 'old ID token'
  | 'ID token of the future'
  | 'no signature'
  | 'signature by the client secret'
  | 'signature by another key'
  | 'no ID token'
  | 'no auth_time'
  | 'stale auth_time'
  | 'access denied'
  | 'server error'
  | 'unknown code'
  | 'unknown client'
  | 'down'
  | 'silent'
  | 'oversized documents'
  | 'redirects'
  | 'no JSON'
  /** No fault: documents as several products send them, which must be read. */
  | 'unusual documents'

/** Replaces the text of a document of an honest provider. */
type Write = (honest: Readonly<Record<string, unknown>>) => string
export type ReplacedDocuments = Partial<Record<'discovery' | 'keys' | 'tokens', Write>>

interface SignedInAs {
  readonly subject: string
  /** Undefined claims are left out. */
  readonly claims: Readonly<Record<string, unknown>>
}

export interface FaultySignInProvider {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** The parameters of each authorization request. */
  readonly authorizations: readonly URLSearchParams[]
  /** The paths of all requests. */
  readonly paths: readonly string[]
  /** Sets the person who signs in from now on. */
  signInAs(person: SignedInAs): void
  /** Sets the fault of the provider from now on. */
  become(fault: SignInFault | null): void
  /** Sends other documents than an honest provider from now on, with their status of success. */
  replace(documents: ReplacedDocuments): void
  /** A logout token. Given claims replace the claims of an honest one; `undefined` leaves one out. */
  logoutToken(claims: Readonly<Record<string, unknown>>, header?: Readonly<Record<string, unknown>>): string
  close(): Promise<void>
}

interface Grant {
  readonly params: URLSearchParams
  readonly person: SignedInAs
}

/** One provider: its keys, and the behaviour that the test sets. */
interface State {
  readonly issuer: string
  readonly clientSecret: string
  readonly keys: { readonly own: KeyObject; readonly published: KeyObject; readonly other: KeyObject }
  readonly grants: Map<string, Grant>
  readonly authorizations: URLSearchParams[]
  readonly paths: string[]
  person: SignedInAs
  fault: SignInFault | null
  replaced: ReplacedDocuments
}

const [clientId, kid] = ['payment-service', 'key-1']
const oversized = 300 * 1024

export async function faultySignInProvider(): Promise<FaultySignInProvider> {
  const server = createServer((request, response) => void respond(state, request, response))
  const port = await listen(server, { host: '127.0.0.1', port: 0 })
  const { privateKey: own, publicKey: published } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const state: State = {
    issuer: `http://127.0.0.1:${port}`,
    clientSecret: randomBytes(16).toString('hex'),
    keys: { own, published, other: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey },
    grants: new Map(),
    authorizations: [],
    paths: [],
    person: { subject: 'unset', claims: {} },
    fault: null,
    replaced: {},
  }
  const { issuer, clientSecret, authorizations, paths } = state
  return {
    ...{ issuer, clientId, clientSecret, authorizations, paths },
    signInAs(person) {
      state.person = person
    },
    become(fault) {
      state.fault = fault
    },
    replace(documents) {
      state.replaced = documents
    },
    logoutToken(claims, header = {}) {
      const now = Math.floor(Date.now() / 1000)
      const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
      const honest = {
        iss: issuer,
        aud: clientId,
        iat: now,
        exp: now + 120,
        jti: randomBytes(8).toString('hex'),
        events,
      }
      return jws({ alg: 'ES256', typ: 'logout+jwt', kid, ...header }, { ...honest, ...claims }, es256(own))
    },
    close: () => stopServer(server, 0),
  }
}

async function respond(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { issuer, fault, keys, replaced } = state
  const url = new URL(request.url ?? '/', issuer)
  state.paths.push(url.pathname)
  if (url.pathname === '/authorize') return authorize(state, url.searchParams, response)
  if (fault === 'down') return void request.socket.destroy()
  if (fault === 'silent') return
  if (fault === 'redirects') return void response.writeHead(302, { Location: `${issuer}/elsewhere` }).end()
  if (fault === 'no JSON') return void response.writeHead(200).end('<!doctype html>')
  if (fault === 'oversized documents') {
    return send(response, 200, { ...discovery(issuer, fault), padding: 'x'.repeat(oversized) })
  }
  if (url.pathname === '/.well-known/openid-configuration') {
    if (fault === 'unusual documents') return sendUnusual(response, discovery(issuer, fault))
    return send(response, 200, discovery(issuer, fault), replaced.discovery)
  }
  if (url.pathname === '/jwks') {
    const key = { ...keys.published.export({ format: 'jwk' }), kid, use: 'sig', alg: 'ES256' }
    if (fault === 'unusual documents') {
      const foreign = { kty: 'unknown', kid: 'other', x5c: null }
      return sendUnusual(response, { keys: [null, foreign, { ...key, use: null, alg: null, key_ops: null }] })
    }
    return send(response, 200, { keys: [key] }, replaced.keys)
  }
  if (url.pathname === '/token') return issueTokens(state, request, response)
  response.writeHead(404).end()
}

/** A byte order mark, members and elements that are null, another status of success and another Content-Type. */
function sendUnusual(response: ServerResponse, body: object): void {
  const nulls = { scope: null, refresh_token: null, end_session_endpoint: null, expires_in: '3599' }
  const text = `\uFEFF${JSON.stringify({ ...nulls, ...body })}`
  response.writeHead(201, { 'Content-Type': 'text/json;charset=utf-8' }).end(text)
}

const redirectErrors: Partial<Record<SignInFault, string>> = {
  'access denied': 'access_denied',
  'server error': 'server_error',
}

/** Signs the person in without a page. */
function authorize(
  { issuer, fault, person, grants, authorizations }: State,
  params: URLSearchParams,
  response: ServerResponse,
): void {
  authorizations.push(params)
  const code = randomBytes(16).toString('hex')
  grants.set(code, { params, person })
  const error = fault === null ? undefined : redirectErrors[fault]
  const location = new URL(params.get('redirect_uri') ?? '')
  location.search = new URLSearchParams({
    ...(error === undefined ? { code } : { error }),
    state: fault === 'wrong state' ? randomBytes(32).toString('base64url') : (params.get('state') ?? ''),
    ...issuerOfResponse(issuer, fault),
  }).toString()
  response.writeHead(303, { Location: location.href }).end()
}

/** RFC 9207, which not every provider supports. */
function issuerOfResponse(issuer: string, fault: SignInFault | null): { iss?: string } {
  if (fault === 'no issuer of the response') return {}
  return { iss: fault === 'wrong issuer of the response' ? 'https://other.example' : issuer }
}

async function issueTokens(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { fault, grants, clientSecret } = state
  const form = new URLSearchParams(await readBody(request))
  if (fault === 'unknown client' || readCredentials(request) !== `${clientId}:${clientSecret}`) {
    return send(response, 401, { error: 'invalid_client' })
  }
  const code = form.get('code') ?? ''
  const grant = grants.get(code)
  grants.delete(code)
  if (fault === 'unknown code' || grant === undefined || !isProven(grant.params, form)) {
    return send(response, 400, { error: 'invalid_grant' })
  }
  const tokens = { access_token: randomBytes(16).toString('hex'), token_type: 'Bearer' }
  if (fault === 'unusual documents') {
    return sendUnusual(response, { ...tokens, token_type: 'BearerToken', id_token: signIdToken(state, grant) })
  }
  const granted = fault === 'no ID token' ? tokens : { ...tokens, id_token: signIdToken(state, grant) }
  send(response, 200, granted, state.replaced.tokens)
}

function signIdToken({ issuer, fault, keys, clientSecret }: State, { params, person }: Grant): string {
  const now = Math.floor(Date.now() / 1000)
  const payload = {
    iss: issuer,
    aud: clientId,
    sub: person.subject,
    iat: now,
    exp: now + 300,
    auth_time: now,
    nonce: params.get('nonce'),
    ...person.claims,
    ...(fault === null ? {} : wrongClaims(fault, now)),
  }
  if (fault === 'no signature') return jws({ alg: 'none' }, payload, () => Buffer.alloc(0))
  if (fault === 'signature by the client secret') {
    return jws({ alg: 'HS256' }, payload, (data) => createHmac('sha256', clientSecret).update(data).digest())
  }
  return jws({ alg: 'ES256', kid }, payload, es256(fault === 'signature by another key' ? keys.other : keys.own))
}

const discovery = (issuer: string, fault: SignInFault | null) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/jwks`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['ES256'],
  authorization_response_iss_parameter_supported: fault !== 'no issuer of the response',
})

/** The claims that a fault replaces. */
function wrongClaims(fault: SignInFault, now: number): Readonly<Record<string, unknown>> {
  const wrong: Partial<Record<SignInFault, object>> = {
    'wrong nonce': { nonce: 'another' },
    'wrong issuer': { iss: 'https://other.example' },
    'wrong audience': { aud: 'another-client' },
    'expired ID token': { exp: now - 3600, iat: now - 7200 },
    'old ID token': { iat: now - 7200 },
    'ID token of the future': { iat: now + 3600, exp: now + 7200, auth_time: now + 3600 },
    'no auth_time': { auth_time: undefined },
    'stale auth_time': { auth_time: now - 13 * 3600 },
  }
  return { ...wrong[fault] }
}

/** RFC 6749, 2.3.1: both parts are encoded as in a form. */
function readCredentials({ headers: { authorization = '' } }: IncomingMessage): string {
  return decodeURIComponent(Buffer.from(authorization.replace(/^Basic /, ''), 'base64').toString())
}

/** RFC 7636, S256. */
function isProven(params: URLSearchParams, form: URLSearchParams): boolean {
  const challenge = hash('sha256', form.get('code_verifier') ?? '', 'base64url')
  return (
    params.get('code_challenge_method') === 'S256' &&
    params.get('code_challenge') === challenge &&
    params.get('redirect_uri') === form.get('redirect_uri')
  )
}

function jws(header: object, payload: object, signature: (data: string) => Buffer): string {
  const data = [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${data}.${signature(data).toString('base64url')}`
}

const es256 = (key: KeyObject) => (data: string) =>
  sign('sha256', Buffer.from(data), { key, dsaEncoding: 'ieee-p1363' })

async function readBody(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request) body += String(chunk)
  return body
}

function send(response: ServerResponse, status: number, body: object, write: Write = JSON.stringify): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(write({ ...body }))
}
