import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { keyHash } from '@payments/contracts/grammar/key-value'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('a rotation stores no plaintext copy of either value in any column of any table', async () => {
  const tenant = await world.tenant()
  const { body: created } = await tenant.by().create()
  const { body: rotated } = await tenant.by().rotate(created.id, 60, randomUUID())
  expect(await everywhere([created.value, rotated.value].flatMap(listForms))).toEqual([])
})

test('after a deletion no table contains a value or its index: encrypted or hashed, current or previous', async () => {
  const tenant = await world.tenant()
  const user = tenant.by()
  const created = await user.create({}, randomUUID())
  const rotated = await user.rotate(created.body.id, 60, randomUUID())
  await user.assign(created.body.id, [tenant.viewerRole])
  const [secrets] = await world.rows<Record<string, string>>(
    `SELECT encode(k.value_encrypted, 'hex') a, encode(k.index_hmac, 'hex') b, encode(p.value_encrypted, 'hex') c, encode(p.index_hmac, 'hex') d
       FROM keys k JOIN previous_values p ON p.key_id = k.id WHERE k.id = $1::uuid`,
    created.body.id,
  )
  const forms = [...Object.values(secrets ?? {}), ...[created, rotated].flatMap(({ body }) => listForms(body.value))]
  expect(await everywhere(forms)).toEqual(['keys', 'previous_values'])
  await user.remove(created.body.id)
  expect(await everywhere(forms)).toEqual([])
})

const listForms = (value: string) => {
  const secret = value.slice('psk_dev_'.length)
  return [secret, Buffer.from(secret).toString('hex'), keyHash(value)]
}

/** The tables that hold one of `forms` in any column. */
async function everywhere(forms: readonly string[]): Promise<string[]> {
  const tables = await world.rows<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename !~ '^_' ORDER BY tablename`,
  )
  const holding: string[] = []
  for (const { name } of tables) {
    const stored = await world.rows<{ text: string }>(`SELECT t::text AS text FROM ${name} t`)
    if (stored.some(({ text }) => forms.some((form) => text.includes(form)))) holding.push(name)
  }
  return holding
}
