import { randomUUID } from 'node:crypto'
import { expect } from '@jest/globals'
import type { World } from './world.ts'

export const path = '/v1/webhooks/auth-info'
export const configs = {
  custom_headers: { headers: { 'X-Api-Key': 'k-4711-secret', 'X-Tenant': 'acme-secret' } },
  basic: { username: 'payments', password: 'p-secret:with colon' },
  api_credential: { location: 'query', name: 'api_key', value: 'v-secret', prefix: 'live_' },
  oauth2_client_credentials: {
    token_url: 'https://id.example.com/token',
    client_id: 'payments',
    client_secret: 'c-secret',
    scope: 'hooks:write',
  },
} as const
export type Type = keyof typeof configs
export const types = Object.keys(configs) as Type[]
export const masked: Record<Type, object> = {
  custom_headers: { headers: { 'X-Api-Key': '…', 'X-Tenant': '…' } },
  basic: { ...configs.basic, password: '…' },
  api_credential: { ...configs.api_credential, value: '…' },
  oauth2_client_credentials: { ...configs.oauth2_client_credentials, client_secret: '…' },
}
export const authInfoBody = (type: Type) => ({ name: 'Ledger', type, config: configs[type] })

const hostsOfNames = async (host: string) => [host.startsWith('inner.') ? '10.0.0.7' : '8.8.8.8']
/** Names resolve to a public address, except those that start with `inner.`. */
export const publicNames = { allowPrivate: false, lookup: hostsOfNames }

export const listRows = (world: World, tenantId: string) =>
  world.db.inTenant(tenantId, (tx) => tx.authInfo.findMany({ orderBy: { id: 'asc' } }))

export async function createdAuthInfo(world: World, type: Type = 'basic', tenantId: string = randomUUID()) {
  const tenant = world.asTenant(tenantId)
  const { body, status } = await tenant.post(path, authInfoBody(type))
  expect(status).toBe(201)
  return { tenantId, tenant, id: body.id as string, path: `${path}/${body.id}` }
}

/** Configs with one changed field. */
export const basic = (given: object) => ({ name: 'a', type: 'basic', config: { ...configs.basic, ...given } })
export const headers = (given: Record<string, unknown>) => ({
  name: 'a',
  type: 'custom_headers',
  config: { headers: given },
})
export const inHeader = (given: object) => ({
  name: 'a',
  type: 'api_credential',
  config: { location: 'header', name: 'X-Key', value: 'v', ...given },
})
export const oauth = (given: object) => ({
  name: 'a',
  type: 'oauth2_client_credentials',
  config: { ...configs.oauth2_client_credentials, ...given },
})
