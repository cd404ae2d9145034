import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Permission, permissionNames } from '@payments/contracts/grammar/permission'
import { startWorld, tenantWithUnit, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld({ allowPrivate: false, lookup: async () => ['8.8.8.8'] })
})
afterAll(() => world.stop())

const own = 'https://ledger.example.com/hook'
const elsewhere = 'https://attacker.example.net/collect'
const withoutReveal: readonly Permission[] = permissionNames.filter((name) => name !== 'webhook:RevealAuthInfo')
const authInfos = '/v1/webhooks/auth-info'
const bearer = { location: 'header', name: 'Authorization', value: 't-secret', prefix: 'Bearer ' }
const oauth = (token_url: string) => ({ token_url, client_id: 'payments', client_secret: 'c-secret' })

/** A tenant with an auth info, a caller with all permissions, and one without the permission to reveal credentials. */
async function tenantWith(hosts?: readonly string[], config: object = bearer, type = 'api_credential') {
  const tenantId = randomUUID()
  const { unitPath: unit } = await tenantWithUnit(world, tenantId)
  const revealer = world.asTenant(tenantId)
  const other = world.asTenant(tenantId, withoutReveal)
  const created = await revealer.post(authInfos, { name: 'Ledger', type, config, ...(hosts && { hosts }) })
  if (created.status !== 201) throw new Error(created.text)
  const id = created.body.id as string
  const subscribe = async (body: object = {}) => {
    const { body: created } = await revealer.post(unit, { destination_url: own, ...body })
    const path = `${unit}/${created.id}`
    return { path, read: async () => (await revealer.get(path)).body }
  }
  return { tenantId, unit, revealer, other, id, path: `${authInfos}/${id}`, subscribe }
}

type Reply = { status: number; body: { code: string; detail: string } }

function expectDenied({ status, body }: Reply): void {
  expect([status, body.code]).toEqual([403, 'permission_denied'])
  expect(body.detail).toContain('webhook:RevealAuthInfo')
}

describe('only a caller with the permission to reveal sends credentials to another host', () => {
  test('rejects a new subscription to another host and stores nothing; accepts a host of the auth info', async () => {
    const { tenantId, unit, revealer, other, id } = await tenantWith(['ledger.example.com'])
    expectDenied(await other.post(unit, { destination_url: elsewhere, webhook_auth_info_id: id }))
    expect(await world.db.inTenant(tenantId, (tx) => tx.subscription.count())).toBe(0)
    for (const [caller, destination_url] of [
      [other, own],
      [other, 'https://ledger.example.com:443/other'],
      [other, 'https://LEDGER.example.com/x'],
      [revealer, elsewhere],
    ] as const) {
      expect((await caller.post(unit, { destination_url, webhook_auth_info_id: id })).status).toBe(201)
    }
  })

  test('rejects every host for an auth info without hosts', async () => {
    const { unit, other, id, subscribe } = await tenantWith()
    expectDenied(await other.post(unit, { destination_url: own, webhook_auth_info_id: id }))
    const { path } = await subscribe()
    expectDenied(await other.put(path, { webhook_auth_info_id: id }))
  })

  test.each([
    ['a subdomain', 'https://sub.ledger.example.com/'],
    ['the parent', 'https://example.com/'],
    ['a longer name', 'https://ledger.example.com.attacker.net/'],
    ['another port', 'https://ledger.example.com:8443/'],
    ['the same letters in another script', 'https://lеdger.example.com/'],
  ])('%s of a host of the auth info is another host', async (_, destination_url) => {
    const { unit, other, id } = await tenantWith(['ledger.example.com'])
    expectDenied(await other.post(unit, { destination_url, webhook_auth_info_id: id }))
  })

  test('rejects an auth info for a subscription to another host; accepts it for a host of the auth info', async () => {
    const { other, id, subscribe } = await tenantWith(['ledger.example.com'])
    const foreign = await subscribe({ destination_url: elsewhere })
    expectDenied(await other.put(foreign.path, { webhook_auth_info_id: id }))
    expect((await foreign.read()).webhook_auth_info_id).toBeNull()
    const named = await subscribe()
    expect((await other.put(named.path, { webhook_auth_info_id: id })).status).toBe(200)
  })

  test('rejects the replacement of an auth info, regardless of the hosts of the current one', async () => {
    const { revealer, other, id, subscribe } = await tenantWith(['attacker.example.net'])
    const secret = await revealer.post(authInfos, { name: 'Other', type: 'api_credential', config: bearer })
    const { path, read } = await subscribe({ destination_url: elsewhere, webhook_auth_info_id: id })
    expectDenied(await other.put(path, { webhook_auth_info_id: secret.body.id }))
    expect((await read()).webhook_auth_info_id).toBe(id)
  })

  test('rejects another destination of a subscription with an auth info; accepts a host of the auth info', async () => {
    const { other, id, subscribe } = await tenantWith(['ledger.example.com', 'spare.example.com'])
    const { path, read } = await subscribe({ webhook_auth_info_id: id })
    expectDenied(await other.put(path, { destination_url: elsewhere }))
    expectDenied(await other.put(path, { destination_url: elsewhere, webhook_auth_info_id: id }))
    expect((await read()).destination_url).toBe(own)
    expect((await other.put(path, { destination_url: 'https://spare.example.com/' })).status).toBe(200)
  })

  test('rejects another path of another host, because a host may serve several parties', async () => {
    const { other, id, subscribe } = await tenantWith()
    const { path } = await subscribe({ webhook_auth_info_id: id })
    expectDenied(await other.put(path, { destination_url: 'https://ledger.example.com/mine' }))
  })

  test('checks a new destination and a new auth info of one request together', async () => {
    const { other, id, subscribe } = await tenantWith(['ledger.example.com'])
    const { path, read } = await subscribe()
    expectDenied(await other.put(path, { destination_url: elsewhere, webhook_auth_info_id: id }))
    expect(await read()).toMatchObject({ destination_url: own, webhook_auth_info_id: null })
    const attached = await subscribe({ webhook_auth_info_id: id })
    const detached = await other.put(attached.path, { destination_url: elsewhere, webhook_auth_info_id: null })
    expect(detached.status).toBe(200)
    expectDenied(await other.put(attached.path, { webhook_auth_info_id: id }))
  })

  test('requires no permission to reveal when the receiving host stays the same', async () => {
    const { revealer, other, id, path: ownPath, subscribe } = await tenantWith()
    const { path } = await subscribe({ webhook_auth_info_id: id })
    for (const change of [
      { label: 'x' },
      { enabled: false },
      { enabled: true, destination_url: own, webhook_auth_info_id: id },
      { webhook_auth_info_id: null },
      { destination_url: elsewhere },
    ]) {
      expect((await other.put(path, change)).status).toBe(200)
    }
    expect((await other.put(ownPath, { name: 'renamed', config: bearer })).status).toBe(200)
    expect((await revealer.get(`${ownPath}/reveal`)).body.config).toEqual(bearer)
  })
})

describe('the hosts of an auth info', () => {
  test('are stored in one form: lower case, IDNA as ASCII, without the final dot, without duplicates', async () => {
    const hosts = ['Ledger.Example.COM', 'ledger.example.com.', 'bücher.example.com', 'ｓｐａｒｅ。example.com']
    const { revealer, path } = await tenantWith(hosts)
    const shown = ['ledger.example.com', 'xn--bcher-kva.example.com', 'spare.example.com']
    expect((await revealer.get(path)).body.hosts).toEqual(shown)
    expect((await revealer.get(authInfos)).body.data[0].hosts).toEqual(shown)
    expect((await revealer.get(`${path}/reveal`)).body.hosts).toEqual(shown)
  })

  test('match a destination with another spelling of the host', async () => {
    const { unit, other, id } = await tenantWith(['bücher.example.com'])
    for (const host of ['xn--bcher-kva.example.com', 'BÜCHER.example.com', 'bu\u0308cher.example.com']) {
      const reply = await other.post(unit, { destination_url: `https://${host}/`, webhook_auth_info_id: id })
      expect([host, reply.status]).toEqual([host, 201])
    }
  })

  test.each([
    '',
    '.',
    '*.example.com',
    'https://example.com',
    'example.com:',
    'example.com:0',
    'example.com:65536',
    'example.com:443:443',
    'example.com:https',
    'example.com/x',
    'user@example.com',
    'example.com?x',
    'example.com#x',
    'a b.example.com',
    'exa\nmple.com',
    'example..com',
    '.example.com',
    '[::1]',
    '%65xample.com',
    'xn--a.com',
    `${'a'.repeat(64)}.example.com`,
    `${'a.'.repeat(130)}com`,
  ])('rejects the host %j and names it', async (host) => {
    const { revealer, path } = await tenantWith()
    for (const reply of [
      await revealer.put(path, { hosts: ['example.com', host] }),
      await revealer.post(authInfos, {
        name: 'a',
        type: 'api_credential',
        config: bearer,
        hosts: ['example.com', host],
      }),
    ]) {
      expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request'])
      expect(reply.body.errors[0].pointer).toBe('/hosts/1')
    }
    expect((await revealer.get(path)).body.hosts).toEqual([])
  })

  test('a name means port 443, and another port is named with the host', async () => {
    const { revealer, unit, other, id, path } = await tenantWith(['ledger.example.com:8443', 'spare.example.com:443'])
    expect((await revealer.get(path)).body.hosts).toEqual(['ledger.example.com:8443', 'spare.example.com'])
    const send = (destination_url: string) => other.post(unit, { destination_url, webhook_auth_info_id: id })
    for (const url of ['https://ledger.example.com:8443/x', 'https://spare.example.com/'])
      expect((await send(url)).status).toBe(201)
    for (const url of ['https://ledger.example.com/', 'https://spare.example.com:8443/']) expectDenied(await send(url))
    expectDenied(await other.put(path, { hosts: ['ledger.example.com:8443', 'spare.example.com:8443'] }))
  })

  test('are at most twenty', async () => {
    const { revealer, path } = await tenantWith()
    const hosts = Array.from({ length: 21 }, (_, i) => `h${i}.example.com`)
    expect((await revealer.put(path, { hosts })).body.errors[0].pointer).toBe('/hosts')
    expect((await revealer.put(path, { hosts: hosts.slice(1) })).status).toBe(200)
  })

  test('rejects an added host, alone or with other fields, and changes nothing; accepts a removed host', async () => {
    const { revealer, other, path } = await tenantWith(['a.example.com', 'b.example.com'])
    const before = (await revealer.get(path)).body
    expectDenied(await other.put(path, { hosts: ['a.example.com', 'b.example.com', 'attacker.example.net'] }))
    expectDenied(await other.put(path, { hosts: ['attacker.example.net'], name: 'x' }))
    expectDenied(await other.put(path, { hosts: ['attacker.example.net'], config: bearer }))
    expect((await revealer.get(path)).body).toEqual(before)
    expect((await other.put(path, { hosts: ['B.example.com'] })).body.hosts).toEqual(['b.example.com'])
    expectDenied(await other.put(path, { hosts: ['a.example.com', 'b.example.com'] }))
    expect((await revealer.put(path, { hosts: ['attacker.example.net'] })).status).toBe(200)
  })
})

describe('the token endpoint of an auth info', () => {
  const type = 'oauth2_client_credentials'
  const present = 'https://id.example.com/token'

  test('rejects a token endpoint on another host and changes nothing; accepts the current host or one of the auth info', async () => {
    const { revealer, other, path } = await tenantWith(['spare.example.com'], oauth(present), type)
    const before = (await revealer.get(path)).body
    expectDenied(await other.put(path, { config: oauth('https://attacker.example.net/token') }))
    expectDenied(await other.put(path, { type, config: oauth('https://id.example.com:8443/token') }))
    expect((await revealer.get(path)).body).toEqual(before)
    for (const url of ['https://id.example.com/v2/token', 'https://spare.example.com/token']) {
      expect((await other.put(path, { config: oauth(url) })).body.config.token_url).toBe(url)
    }
    expect((await revealer.put(path, { config: oauth('https://attacker.example.net/token') })).status).toBe(200)
  })

  test('rejects a token endpoint on another host in two steps with another type between', async () => {
    const { other, path } = await tenantWith([], oauth(present), type)
    expect((await other.put(path, { type: 'api_credential', config: bearer })).status).toBe(200)
    expectDenied(await other.put(path, { type, config: oauth('https://attacker.example.net/token') }))
  })

  test.each([
    ['basic', { username: 'payments', password: 'p-secret' }],
    ['api_credential', bearer],
    ['custom_headers', { headers: { 'X-Api-Key': 'k-secret' } }],
    [type, oauth(present)],
  ])('does not accept the mask of a config of type %s in place of the stored credential', async (given, config) => {
    const { revealer, path } = await tenantWith([], config, given)
    const { body: masked } = await revealer.get(path)
    const reply = await revealer.put(path, { type: given, config: masked.config, hosts: ['attacker.example.net'] })
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request'])
    expect((await revealer.get(path)).body).toEqual(masked)
  })
})

describe('concurrent requests', () => {
  test('an added auth info and a changed destination never both succeed, in any order', async () => {
    const { other, id, subscribe } = await tenantWith(['ledger.example.com'])
    for (let round = 0; round < 8; round += 1) {
      const { path, read } = await subscribe()
      const replies = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          other.put(path, i % 2 === 0 ? { destination_url: elsewhere } : { webhook_auth_info_id: id }),
        ),
      )
      const { destination_url, webhook_auth_info_id } = await read()
      expect([own, elsewhere]).toContain(destination_url)
      expect({ destination_url, sends: webhook_auth_info_id !== null }).not.toEqual({
        destination_url: elsewhere,
        sends: true,
      })
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 403]))
    }
  })

  test('a removed host and a subscription to the host are serialized', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { tenantId, revealer, other, id, path, unit } = await tenantWith(['ledger.example.com'])
      const replies = await Promise.all([
        revealer.put(path, { hosts: [] }),
        ...Array.from({ length: 9 }, () => other.post(unit, { destination_url: own, webhook_auth_info_id: id })),
      ])
      const created = replies.slice(1).filter(({ status }) => status === 201).length
      expect(replies.slice(1).filter(({ status }) => status === 403)).toHaveLength(9 - created)
      expect(await world.db.inTenant(tenantId, (tx) => tx.subscription.count())).toBe(created)
      expectDenied(await other.post(unit, { destination_url: own, webhook_auth_info_id: id }))
    }
  })
})
