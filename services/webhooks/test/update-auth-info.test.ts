import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import {
  authInfoBody,
  configs,
  createdAuthInfo,
  headers,
  inHeader,
  listRows,
  masked,
  oauth,
  publicNames,
} from './auth-info-world.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld(publicNames)
})
afterAll(() => world.stop())

test('replaces the given fields, and a new config increments the version', async () => {
  const { tenantId, tenant, path: own } = await createdAuthInfo(world, 'basic')
  const renamed = await tenant.put(own, { name: 'Till' })
  expect(renamed.body).toMatchObject({ name: 'Till', type: 'basic', config: masked.basic })
  expect((await listRows(world, tenantId))[0]?.version).toBe(1)
  const password = await tenant.put(own, { config: { username: 'payments', password: 'another' } })
  expect(password.body).toMatchObject({ name: 'Till', config: masked.basic })
  expect((await tenant.get(`${own}/reveal`)).body.config.password).toBe('another')
  const { type, config } = authInfoBody('custom_headers')
  expect((await tenant.put(own, { type, config })).body).toMatchObject({ type, config: masked.custom_headers })
  expect((await tenant.get(`${own}/reveal`)).body.config).toEqual(config)
  expect((await listRows(world, tenantId))[0]?.version).toBe(3)
})

test.each([
  [{}, ''],
  [{ type: 'custom_headers' }, '/config'],
  [{ config: configs.custom_headers }, '/config'],
  [{ config: {} }, '/config'],
  [{ type: 'basic', config: configs.custom_headers }, '/config/username'],
  [{ config: { username: 'a', password: '…' } }, '/config/password'],
])('rejects %j for type basic and changes nothing', async (body, pointer) => {
  const { tenantId, tenant, path: own } = await createdAuthInfo(world, 'basic')
  const before = await listRows(world, tenantId)
  const reply = await tenant.put(own, body)
  expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request'])
  expect(reply.body.errors[0].pointer).toBe(pointer)
  expect(await listRows(world, tenantId)).toEqual(before)
})

test.each([
  [headers({ Host: 'v' }), 'header_not_allowed', '/config/headers/Host'],
  [inHeader({ name: 'webhook-id' }), 'header_not_allowed', '/config/name'],
  [oauth({ token_url: 'https://127.0.0.1/token' }), 'destination_not_allowed', '/config/token_url'],
  [oauth({ token_url: 'https://inner.example.com/token' }), 'destination_not_allowed', '/config/token_url'],
])('rejects %j as not allowed and changes nothing', async (body, code, pointer) => {
  const { tenantId, tenant, path: own } = await createdAuthInfo(world)
  const before = await listRows(world, tenantId)
  const reply = await tenant.put(own, body)
  expect([reply.status, reply.body.code]).toEqual([422, code])
  expect(reply.body.errors).toEqual([{ pointer, detail: expect.any(String) }])
  expect(await listRows(world, tenantId)).toEqual(before)
})

test('returns 404 for an auth info of another tenant, and leaves it unchanged', async () => {
  const { tenantId, path: own } = await createdAuthInfo(world)
  const before = await listRows(world, tenantId)
  const reply = await world.asTenant(randomUUID()).put(own, { name: 'mine' })
  expect([reply.status, reply.body.code]).toEqual([404, 'auth_info_not_found'])
  expect(await listRows(world, tenantId)).toEqual(before)
})

test('ten updates at once each count as one version', async () => {
  const { tenantId, tenant, path: own } = await createdAuthInfo(world)
  const { config } = authInfoBody('basic')
  const replies = await Promise.all(Array.from({ length: 10 }, () => tenant.put(own, { config })))
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
  expect((await listRows(world, tenantId))[0]?.version).toBe(11)
})
