import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { keyHash, parseKeyValue } from '@payments/contracts/grammar/key-value'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('createKey', () => {
  test('returns the key with its full value, without roles and permissions', async () => {
    const tenant = await world.tenant()
    const user = tenant.by()
    const reply = await user.create({ name: 'till 7', description: 'front desk' })
    expect(reply.status).toBe(201)
    expect(reply.headers['cache-control']).toBe('no-store')
    expect(reply.headers['location']).toBe(`/v1/api-key/keys/${reply.body.id}`)
    expect(parseKeyValue(reply.body.value)).toEqual({ environment: 'dev' })
    expect(reply.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{14}7/),
      name: 'till 7',
      description: 'front desk',
      value: expect.any(String),
      enabled: true,
      role_ids: [],
      environment: 'dev',
      expires_at: null,
      allowed_cidrs: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      created_by: `user:${user.actor.id}`,
      updated_at: expect.any(String),
      previous_value_expires_at: null,
      last_used_at: null,
    })
    expect((await user.permissions(reply.body.id)).body).toEqual({ data: [], next_cursor: null })
  })

  test('emits api-key.keys.create, without any part of the value', async () => {
    const tenant = await world.tenant()
    const { body } = await tenant.by().create({ name: 'till 7' })
    const events = await tenant.events()
    expect(events).toMatchObject([
      { type: 'api-key.keys.create', payload: { id: body.id, name: 'till 7', role_ids: [] } },
    ])
    expect(JSON.stringify(events)).not.toContain(body.value.slice(-4))
  })

  test('stores no plaintext copy of the value in any column of any table', async () => {
    const tenant = await world.tenant()
    const { body } = await tenant.by().create({}, randomUUID())
    const secret: string = body.value.slice('psk_dev_'.length)
    const tables = await world.rows<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename !~ '^_'`,
    )
    expect(tables.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['keys', 'idempotency_keys', 'outbox_events']),
    )
    for (const { name } of tables) {
      const stored = await world.rows<{ text: string }>(`SELECT t::text AS text FROM ${name} t`)
      const hex = Buffer.from(secret).toString('hex')
      const found = stored.filter(({ text }) => [secret, hex, keyHash(body.value)].some((form) => text.includes(form)))
      expect({ name, found }).toEqual({ name, found: [] })
    }
  })

  test('accepts an expiry with any offset', async () => {
    const tenant = await world.tenant()
    const reply = await tenant.by().create({ expires_at: '2999-01-01T02:00:00+02:00' })
    expect(reply.body.expires_at).toBe('2999-01-01T00:00:00.000Z')
  })

  test('rejects an expiry in the past, and creates nothing', async () => {
    const tenant = await world.tenant()
    const reply = await tenant.by().create({ expires_at: '2020-01-01T00:00:00Z' })
    expect([reply.status, reply.body.code]).toEqual([422, 'expiry_in_the_past'])
    expect((await tenant.by().list()).body.data).toEqual([])
    expect(await tenant.events()).toEqual([])
  })

  test.each([
    ['no name', { name: undefined }, '/name'],
    ['an empty name', { name: '' }, '/name'],
    ['a long name', { name: 'x'.repeat(201) }, '/name'],
    ['NUL in the name', { name: 'a\0b' }, '/name'],
    ['a lone surrogate', { description: '\ud800' }, '/description'],
    ['a number for the name', { name: 7 }, '/name'],
    ['a malformed expiry', { expires_at: 'tomorrow' }, '/expires_at'],
    ['an expiry after the year 9999', { expires_at: '9999-12-31T23:59:59-23:59' }, '/expires_at'],
    ['an expiry before 1970', { expires_at: '0000-01-01T00:00:00+01:00' }, '/expires_at'],
    ['a given value', { value: 'psk_dev_mine' }, '/value'],
    ['roles', { role_ids: [] }, '/role_ids'],
    ['a malformed address', { allowed_cidrs: ['10.0.0.256'] }, '/allowed_cidrs/0'],
  ])('names the field and creates nothing for %s', async (_, body, pointer) => {
    const tenant = await world.tenant()
    const reply = await tenant.by().create(body)
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request'])
    expect(reply.body.errors).toEqual([{ pointer, detail: expect.any(String) }])
    expect(await tenant.events()).toEqual([])
  })
})

describe('an Idempotency-Key', () => {
  test('ten requests at once create one key; each successful response has the same value', async () => {
    const tenant = await world.tenant()
    const user = tenant.by()
    const once = randomUUID()
    const replies = await Promise.all(Array.from({ length: 10 }, () => user.create({}, once)))
    const created = replies.filter(({ status }) => status === 201)
    expect(new Set(created.map(({ body }) => body.value)).size).toBe(1)
    expect(
      replies.filter(({ status }) => status !== 201).every(({ body }) => body.code === 'idempotency_key_in_use'),
    ).toBe(true)
    expect((await user.list()).body.data).toHaveLength(1)
    expect(await tenant.events()).toHaveLength(1)
  })

  test('replays the first response, value included, and marks it as replayed', async () => {
    const tenant = await world.tenant()
    const user = tenant.by()
    const once = randomUUID()
    const first = await user.create({ name: 'one' }, once)
    await user.update(first.body.id, { name: 'renamed' })
    const second = await user.create({ name: 'one' }, once)
    expect(second.status).toBe(201)
    expect(second.body).toEqual(first.body)
    expect([first.headers['idempotent-replayed'], second.headers['idempotent-replayed']]).toEqual([undefined, 'true'])
    expect(second.headers['location']).toBe(first.headers['location'])
  })

  test('rejects another body', async () => {
    const tenant = await world.tenant()
    const user = tenant.by()
    const once = randomUUID()
    await user.create({ name: 'one' }, once)
    const reply = await user.create({ name: 'two' }, once)
    expect([reply.status, reply.body.code]).toEqual([422, 'idempotency_key_reused'])
    expect((await user.list()).body.data).toHaveLength(1)
  })

  test('does not show the value to another caller, which may lack the permission to reveal', async () => {
    const tenant = await world.tenant()
    const once = randomUUID()
    const created = await tenant.by().create({}, once)
    const reply = await tenant.by(['apikey:CreateKey']).create({}, once)
    expect([reply.status, reply.body.code]).toEqual([422, 'idempotency_key_reused'])
    expect(JSON.stringify(reply.body)).not.toContain(created.body.value.slice(-4))
  })

  test('a replay after the deletion of the key is key_not_found', async () => {
    const tenant = await world.tenant()
    const user = tenant.by()
    const once = randomUUID()
    const { body } = await user.create({}, once)
    await user.remove(body.id)
    const reply = await user.create({}, once)
    expect([reply.status, reply.body.code]).toEqual([404, 'key_not_found'])
    expect((await user.list()).body.data).toEqual([])
  })

  test('is independent per tenant', async () => {
    const once = randomUUID()
    const [ours, theirs] = [await world.tenant(), await world.tenant()]
    const replies = [await ours.by().create({}, once), await theirs.by().create({}, once)]
    expect(replies.map(({ status }) => status)).toEqual([201, 201])
    expect(replies[0]?.body.id).not.toBe(replies[1]?.body.id)
  })
})

describe('the quota', () => {
  test('ten at once create three keys when three remain', async () => {
    const tenant = await world.tenant()
    const { body } = await tenant.by().create()
    await world.rows(
      `INSERT INTO keys (id, tenant_id, name, description, environment, masked_value, value_encrypted, pepper_kid, index_hmac, created_by, updated_at)
       SELECT gen_random_uuid(), tenant_id, name, description, environment, masked_value, value_encrypted, 'none',
              decode(md5(id::text || n), 'hex'), created_by, updated_at
         FROM keys, generate_series(1, 996) n WHERE id = $1::uuid RETURNING id`,
      body.id,
    )
    const replies = await Promise.all(Array.from({ length: 10 }, () => tenant.by().create()))
    const codes = replies.map(({ status, body: reply }): string => (status === 201 ? 'created' : reply.code))
    expect(codes.sort()).toEqual([...Array(3).fill('created'), ...Array(7).fill('too_many_keys')])
    expect(await tenant.events()).toHaveLength(4)
  })
})
