import { createHmac, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { keyHash } from '@payments/contracts/key-value'
import { pino } from 'pino'
import { createApp } from '../src/app.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

async function unopened(): Promise<number> {
  const text = await world.deps.metrics.registry.metrics()
  return Number(/^vault_decryption_failures_total(?:\{.*\})? (\d+)$/m.exec(text)?.[1])
}

test('where no value opens, keys are read, listed, changed and judged as ever: the masked form is stored, and nothing is opened for it', async () => {
  const tenant = await world.tenant()
  const user = tenant.by()
  const { body: made } = await user.create()
  await world.rows(`UPDATE keys SET value_encrypted = '\\x00' WHERE id = $1::uuid RETURNING id`, made.id)
  const before = await unopened()
  const masked = `psk_dev_…${made.value.slice(-4)}`
  expect((await user.read(made.id)).body.value).toBe(masked)
  expect((await user.list()).body.data.map(({ value }: { value: string }) => value)).toEqual([masked])
  expect((await user.update(made.id, { name: 'two' })).body.value).toBe(masked)
  expect((await user.assign(made.id, [tenant.viewerRole])).body.value).toBe(masked)
  expect(await world.asService.whoHas(made.value)).toMatchObject({ api_key_id: made.id })
  expect(await unopened()).toBe(before)
})

test('what does not open is answered 500 without a value, and counted: by a reveal, and by a replay', async () => {
  const tenant = await world.tenant()
  const user = tenant.by()
  const once = randomUUID()
  const { body: made } = await user.create({}, once)
  await world.rows(`UPDATE keys SET value_encrypted = '\\x00' WHERE id = $1::uuid RETURNING id`, made.id)
  for (const ask of [() => user.reveal(made.id), () => user.create({}, once)]) {
    const before = await unopened()
    const reply = await ask()
    expect([reply.status, reply.body.code, reply.body.value]).toEqual([500, 'internal_error', undefined])
    expect(await unopened()).toBe(before + 1)
  }
})

test("a value swapped with another tenant's opens for neither", async () => {
  const [ours, theirs] = [await world.tenant(), await world.tenant()]
  const made = [await ours.by().create(), await theirs.by().create()]
  const ids = made.map(({ body }) => body.id)
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
    for (const { body } of made) expect(reply.text).not.toContain(body.value)
  }
})

test('a look-up is stored as the HMAC-SHA-256, by the current pepper, of the hex of the SHA-256 of the value, and only once', async () => {
  const tenant = await world.tenant()
  const { body: made } = await tenant.by().create()
  const pepper = world.peppers.keys.get('old')
  if (pepper === undefined) throw new Error('there is no pepper')
  const hmac = createHmac('sha256', pepper).update(keyHash(made.value)).digest('hex')
  const stored = `SELECT encode(index_hmac, 'hex') AS hmac, pepper_kid AS kid FROM keys WHERE id = $1::uuid`
  expect(await world.rows(stored, made.id)).toEqual([{ hmac, kid: 'old' }])
  const { body: other } = await tenant.by().create()
  const copy = `UPDATE keys SET index_hmac = (SELECT index_hmac FROM keys WHERE id = $1::uuid) WHERE id = $2::uuid RETURNING id`
  await expect(world.rows(copy, made.id, other.id)).rejects.toThrow('keys_pepper_kid_index_hmac_key')
})

test('no value is in the log: not when it is made, shown, replayed, rotated, refused, or does not open', async () => {
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
  const tenant = await world.tenant(createApp({ ...world.deps, log }))
  const user = tenant.by()
  const once = randomUUID()
  const { body: made } = await user.create({}, once)
  await user.create({}, once)
  await user.reveal(made.id)
  await user.assign(made.id, [tenant.adminRole])
  expect((await tenant.by(['apikey:RevealKey']).reveal(made.id)).status).toBe(403)
  const { body: rotated } = await user.rotate(made.id, 60)
  await world.rows(`UPDATE keys SET value_encrypted = '\\x00' WHERE id = $1::uuid RETURNING id`, made.id)
  expect((await user.reveal(made.id)).status).toBe(500)
  const text = lines.join('')
  expect(text).toContain('"operation":"revealKey"')
  for (const { value } of [made, rotated]) {
    for (const form of [value.slice('psk_dev_'.length), value.slice(-12), keyHash(value)]) {
      expect(text).not.toContain(form)
    }
  }
})
