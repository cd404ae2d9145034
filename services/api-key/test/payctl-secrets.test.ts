import { createSecretKey, randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createMetrics } from '@payments/chassis/process/metrics'
import { createAppServer, stopServer } from '@payments/chassis/process/serve'
import { openVault } from '@payments/vault/open'
import { type Printed, runPayctl } from '../../../packages/payctl/test/run-payctl.ts'
import { startWorld, type World } from './world.ts'

/** payctl against a real api-key that listens. */
let world: World
/** The app of the process that payctl calls. */
let rotated: World['app']
let payctl: (...args: string[]) => Promise<Printed>
let stop = async () => {}

beforeAll(async () => {
  world = await startWorld()
  const keys = new Map([...world.vaultKeys, ['next', createSecretKey(randomBytes(32))]])
  const vault = openVault({ VAULT_KEYS: keys, VAULT_KEY_CURRENT: 'next' }, world.db, createMetrics('api-key').registry)
  rotated = world.appWith(vault)
  const server = createAppServer(rotated)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  stop = () => stopServer(server, 0)
  const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const edge = world.edgeKey.export().toString('base64')
  const payments = ['payment-proxy', 'business-unit', 'communication', 'invite-to-pay']
  const audiences = ['api-key', 'rbac', 'webhooks', 'identity', 'audit', ...payments]
  const env = {
    ENVIRONMENT: 'dev',
    ...Object.fromEntries(audiences.map((name) => [`${name.toUpperCase().replaceAll('-', '_')}_URL`, own])),
    ASSERTION_SIGN_KEYS: JSON.stringify(Object.fromEntries(audiences.map((name) => [name, edge]))),
  }
  payctl = (...args) => runPayctl(args, { env })
})
afterAll(async () => {
  await stop()
  await world.stop()
})

test('payctl secrets rewrap and rotate-pepper move everything, show their progress, and end', async () => {
  const values: string[] = []
  for (let i = 0; i < 3; i += 1) values.push((await (await world.tenant()).by().create()).body.value)
  const rewrapped = await payctl('secrets', 'rewrap', 'api-key', '--batch', '2')
  expect([rewrapped.code, rewrapped.stderr.trim().split('\n')]).toEqual([
    0,
    ['data keys: 2 moved to next, 1 to go', 'data keys: 3 moved to next, 0 to go'],
  ])
  world.peppers.keys.set('new', createSecretKey(randomBytes(32)))
  world.peppers.current = 'new'
  const moved = await payctl('secrets', 'rotate-pepper', '--json')
  expect([moved.code, moved.stderr, JSON.parse(moved.stdout)]).toEqual([0, '', { current: 'new', done: 3, failed: 0 }])
  world.peppers.keys.delete('old')
  for (const value of values) expect(await world.asService.identifyValue(value)).not.toBeNull()
  expect(JSON.parse((await payctl('secrets', 'rotate-pepper', '--json')).stdout)).toMatchObject({ done: 0, failed: 0 })
})

test('payctl secrets reencrypt re-encrypts everything, shows how to continue, and finds nothing left', async () => {
  const tenant = await world.tenant()
  const created = [await tenant.by().create(), await tenant.by().create()].map(({ body }) => body)
  const { code, stderr, stdout } = await payctl('secrets', 'reencrypt', 'api-key', '--batch', '1')
  expect(code).toBe(0)
  const since = String(/--since (\S+)\n/.exec(stderr)?.[1])
  expect(stdout).toContain('next')
  for (const { id, value } of created) {
    expect((await world.asUserOfTenant(rotated, tenant.id).reveal(id)).body.value).toBe(value)
  }
  const again = await payctl('secrets', 'reencrypt', 'api-key', '--since', since, '--json')
  expect([again.code, JSON.parse(again.stdout)]).toEqual([0, { current: 'next', done: 0, failed: 0 }])
  await payctl('secrets', 'rewrap', 'api-key', '--json')
})

test('a value that cannot be decrypted is counted, and the exit code is 1', async () => {
  await (await world.tenant()).by().create()
  await world.rows(`UPDATE data_keys SET kek_id = 'lost' WHERE kek_id = 'k1' RETURNING id`)
  const { code, stdout, stderr } = await payctl('secrets', 'rewrap', 'api-key', '--json')
  expect([code, JSON.parse(stdout)]).toEqual([1, { current: 'next', done: 0, failed: 1 }])
  expect(stderr).toContain('1 could not be decrypted')
})

test.each([
  [['rewrap', 'rbac'], 'api-key, webhooks, business-unit'],
  [['rewrap', 'api-key', '--batch', '1001'], 'whole number from 1 to 1000'],
  [['rotate-pepper', '--batch', 'all'], 'whole number from 1 to 1000'],
  [['reencrypt', 'api-key', '--since', 'yesterday'], 'must be an instant'],
])('payctl secrets %j fails with one clear message', async (args, message) => {
  const { code, stdout, stderr } = await payctl('secrets', ...args)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain(message)
})
