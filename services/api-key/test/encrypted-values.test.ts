import { createHmac, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { keyHash } from '@payments/contracts/grammar/key-value'
import { pino } from 'pino'
import { createApp } from '../src/app.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

async function decryptionFailures(): Promise<number> {
  const text = await world.deps.metrics.registry.metrics()
  return Number(/^vault_decryption_failures_total(?:\{.*\})? (\d+)$/m.exec(text)?.[1])
}

test('keys are read, listed, changed and identified without decryption: the masked form is stored', async () => {
  const tenant = await world.tenant()
  const user = tenant.by()
  const { body: key } = await user.create()
  await world.rows(`UPDATE keys SET value_encrypted = '\\x00' WHERE id = $1::uuid RETURNING id`, key.id)
  const before = await decryptionFailures()
  const masked = `psk_dev_…${key.value.slice(-4)}`
  expect((await user.read(key.id)).body.value).toBe(masked)
  expect((await user.list()).body.data.map(({ value }: { value: string }) => value)).toEqual([masked])
  expect((await user.update(key.id, { name: 'two' })).body.value).toBe(masked)
  expect((await user.assign(key.id, [tenant.viewerRole])).body.value).toBe(masked)
  expect(await world.asService.identifyValue(key.value)).toMatchObject({ api_key_id: key.id })
  expect(await decryptionFailures()).toBe(before)
})

test('a value that cannot be decrypted is a 500 without a value and counted, for a reveal and a replay', async () => {
  const tenant = await world.tenant()
  const user = tenant.by()
  const once = randomUUID()
  const { body: key } = await user.create({}, once)
  await world.rows(`UPDATE keys SET value_encrypted = '\\x00' WHERE id = $1::uuid RETURNING id`, key.id)
  for (const request of [() => user.reveal(key.id), () => user.create({}, once)]) {
    const before = await decryptionFailures()
    const reply = await request()
    expect([reply.status, reply.body.code, reply.body.value]).toEqual([500, 'internal_error', undefined])
    expect(await decryptionFailures()).toBe(before + 1)
  }
})

test('a value swapped with another tenant cannot be decrypted by either', async () => {
  const [ours, theirs] = [await world.tenant(), await world.tenant()]
  const key = [await ours.by().create(), await theirs.by().create()]
  const ids = key.map(({ body }) => body.id)
  await world.rows(
    `UPDATE keys SET value_encrypted = other.value_encrypted FROM keys other
      WHERE (keys.id, other.id) IN (($1::uuid, $2::uuid), ($2::uuid, $1::uuid)) RETURNING keys.id`,
    ...ids,
  )
  for (const [tenant, id] of [
    [ours, ids[0]],
    [theirs, ids[1]],
  ] as const) {
    const reply = await tenant.by().reveal(id)
    expect([reply.status, reply.body.code]).toEqual([500, 'internal_error'])
    for (const { body } of key) expect(reply.text).not.toContain(body.value)
  }
})

test('the index is the HMAC-SHA-256 of the hex SHA-256 of the value under the current pepper, and unique', async () => {
  const tenant = await world.tenant()
  const { body: key } = await tenant.by().create()
  const pepper = world.peppers.keys.get('old')
  if (pepper === undefined) throw new Error('there is no pepper')
  const hmac = createHmac('sha256', pepper).update(keyHash(key.value)).digest('hex')
  const stored = `SELECT encode(index_hmac, 'hex') AS hmac, pepper_kid AS kid FROM keys WHERE id = $1::uuid`
  expect(await world.rows(stored, key.id)).toEqual([{ hmac, kid: 'old' }])
  const { body: other } = await tenant.by().create()
  const copy = `UPDATE keys SET index_hmac = (SELECT index_hmac FROM keys WHERE id = $1::uuid) WHERE id = $2::uuid RETURNING id`
  await expect(world.rows(copy, key.id, other.id)).rejects.toThrow('keys_pepper_kid_index_hmac_key')
})

test('no value is logged: created, shown, replayed, rotated, rejected, or impossible to decrypt', async () => {
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
  const tenant = await world.tenant(createApp({ ...world.deps, log }))
  const user = tenant.by()
  const once = randomUUID()
  const { body: key } = await user.create({}, once)
  await user.create({}, once)
  await user.reveal(key.id)
  await user.assign(key.id, [tenant.adminRole])
  expect((await tenant.by(['apikey:RevealKey']).reveal(key.id)).status).toBe(403)
  const { body: rotated } = await user.rotate(key.id, 60)
  await world.rows(`UPDATE keys SET value_encrypted = '\\x00' WHERE id = $1::uuid RETURNING id`, key.id)
  expect((await user.reveal(key.id)).status).toBe(500)
  const text = lines.join('')
  expect(text).toContain('"operation":"revealKey"')
  for (const { value } of [key, rotated]) {
    for (const form of [value.slice('psk_dev_'.length), value.slice(-12), keyHash(value)]) {
      expect(text).not.toContain(form)
    }
  }
})
