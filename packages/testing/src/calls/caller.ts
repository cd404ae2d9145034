import { type KeyObject, randomUUID } from 'node:crypto'
import { type Assertion, assertionHeader } from '@payments/chassis/assertion/assertion'
import type { Browser } from '@payments/chassis/base/caller'
import type { App } from '@payments/chassis/request/app'
import type { Contract } from '@payments/contracts/grammar/contract'
import { type Permission, permissionNames } from '@payments/contracts/grammar/permission'
import request, { type Response, type Test } from 'supertest'
import { signCall } from './signed-call.ts'

type Actor = Assertion['actor']
type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'
type Headers = Readonly<Record<string, string>>

/** Sends requests of one actor, each with an assertion for it. */
export interface Caller {
  readonly actor: Actor
  /** A text is sent as it is, an object as JSON. */
  send(method: Method, path: string, body?: object | string, headers?: Headers): Test
  get(path: string, headers?: Headers): Test
  post(path: string, body?: object, headers?: Headers): Test
  put(path: string, body: object): Test
  patch(path: string, body: object): Test
  delete(path: string): Test
}

export interface SessionClaims {
  readonly userId: string
  readonly sessionId: string
  readonly isSessionToken?: boolean
  readonly roleIds?: readonly string[]
}

/** The operator whom payctl names in its calls. */
export const operatorName = 'ada@example.com'

/** Status and code of a response. */
export const outcome = ({ status, body }: Pick<Response, 'status' | 'body'>): [number, string | undefined] => [
  status,
  body.code,
]

/** The callers of an app of a service, as the gateway and other processes call it. */
export function createCallers(contract: Contract, edgeKey: KeyObject, app: App) {
  const as = (claims: Omit<Assertion, 'traceId'>) => createCaller(contract, edgeKey, app, claims)
  const asService = (id: string) => as({ tenantId: null, actor: { type: 'service', id }, permissions: [] })
  return {
    asService,
    /** An API key of the tenant, unless the actor is given. */
    asTenant: (
      tenantId: string,
      permissions: readonly Permission[] = permissionNames,
      actor: Actor = { type: 'api_key', id: randomUUID() },
      roles: Pick<Assertion, 'roleIds' | 'roleNames'> = {},
    ) => as({ tenantId, actor, permissions, ...roles }),
    asUser: (tenantId: string, permissions: readonly Permission[] = permissionNames) =>
      as({ tenantId, actor: { type: 'user', id: randomUUID() }, permissions }),
    /** A person who signed in. */
    asSession: (
      tenantId: string,
      { userId, roleIds = [], ...session }: SessionClaims,
      permissions: readonly Permission[] = permissionNames,
    ) => as({ tenantId, actor: { type: 'user', id: userId }, permissions, ...session, roleIds }),
    /** With `browser`, as at a page with cookies. */
    asAnonymous: (browser?: Browser) =>
      as({
        tenantId: null,
        actor: { type: 'anonymous', id: 'anonymous' },
        permissions: [],
        ...(browser === undefined ? {} : { browser }),
      }),
    /** payctl, which names its operator. */
    asOperator: () =>
      as({ tenantId: null, actor: { type: 'service', id: 'payctl' }, permissions: [], operator: operatorName }),
  }
}

function createCaller(contract: Contract, edgeKey: KeyObject, app: App, claims: Omit<Assertion, 'traceId'>): Caller {
  const send: Caller['send'] = (method, path, body, headers = {}) => {
    const text = typeof body === 'object' ? JSON.stringify(body) : body
    const call = { method: method.toUpperCase(), path, body: text }
    const assertion = signCall(contract, edgeKey, { ...claims, traceId: randomUUID() }, call)
    const sent = request(app)[method](path).redirects(0).set(assertionHeader, assertion)
    return text === undefined ? sent.set(headers) : sent.type('application/json').set(headers).send(text)
  }
  return {
    actor: claims.actor,
    send,
    get: (path, headers) => send('get', path, undefined, headers),
    post: (path, body = {}, headers = {}) => send('post', path, body, headers),
    put: (path, body) => send('put', path, body),
    patch: (path, body) => send('patch', path, body),
    delete: (path) => send('delete', path),
  }
}
