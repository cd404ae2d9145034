import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import type { App } from '@payments/chassis/app'
import { signAssertion } from '@payments/chassis/assertion'
import { createLog } from '@payments/chassis/log'
import { createMetrics } from '@payments/chassis/metrics'
import type { Permission } from '@payments/contracts/permission'
import { permissionNames } from '@payments/contracts/permission'
import { privateDatabase } from '@payments/testing/database'
import request from 'supertest'
import { createApp } from '../src/app.ts'
import { openDatabase } from '../src/store/database.ts'

const edgeKey = createSecretKey(randomBytes(32))

/** One real rbac on one private database. */
export async function startWorld() {
  const database = await privateDatabase('rbac')
  const db = openDatabase(database.url)
  const keys = new Map([['gateway', edgeKey]])
  const app = createApp({ db, keys, log: createLog('rbac', 'fatal'), metrics: createMetrics('rbac') })
  return {
    app,
    edgeKey,
    database,
    db,
    asService: caller(app, { type: 'service', id: 'gateway' }, null, []),
    asTenant: (tenantId: string, permissions: readonly Permission[] = permissionNames) =>
      caller(app, { type: 'api_key', id: randomUUID() }, tenantId, permissions),
    stop: async () => {
      await db.close()
      await database.drop()
    },
  }
}

export type World = Awaited<ReturnType<typeof startWorld>>

type ActorClaim = { type: 'api_key' | 'service'; id: string }

/** Calls the app as the gateway would, with an assertion for exactly this request. */
function caller(app: App, actor: ActorClaim, tenantId: string | null, permissions: readonly Permission[]) {
  const send = (method: 'get' | 'post', path: string, body?: object) => {
    const assertion = signAssertion(
      { tenantId, actor, permissions, traceId: randomUUID() },
      { issuer: 'gateway', audience: 'rbac', key: edgeKey },
      { method: method.toUpperCase(), path },
    )
    const sent = request(app)[method](path).set('Internal-Assertion', assertion)
    return body === undefined ? sent : sent.send(body)
  }
  return {
    get: (path: string) => send('get', path),
    post: (path: string, body: object = {}) => send('post', path, body),
  }
}
