import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { nameKey } from '@payments/contracts/grammar/name'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('names of roles', () => {
  test.each([
    ['admin', 'Admin'],
    ['admin', 'ADMIN'],
    ['admin', 'ａｄｍｉｎ'],
    ['admin', '𝐚𝐝𝐦𝐢𝐧'],
    ['admin', 'ⓐⓓⓜⓘⓝ'],
    ['viewer', 'VIEWER'],
    ['viewer', 'ⅴiewer'],
    ['Straße', 'STRASSE'],
    ['Kassa 2', 'kassa ２'],
    ['Kassa 2', 'Kassa  2'],
    ['Kassa 2', 'Kassa\u00a02'],
    ['café', 'cafe\u0301'],
    ['ΟΔΟΣ', 'οδος'],
    ['ﬁle', 'File'],
    ['admin', ' admin'],
    ['Kassa', 'Kassa\u00a0'],
  ])('%s and %s are the same name: role_name_taken, on create and on update', async (one, other) => {
    const tenant = await world.tenant()
    if (!['admin', 'viewer'].includes(one)) expect((await tenant.by().create({ name: one })).status).toBe(201)
    const created = await tenant.by().create({ name: other })
    expect([created.status, created.body.code]).toEqual([409, 'role_name_taken'])
    const { body: role } = await tenant.by().create({ name: 'unrelated' })
    const renamed = await tenant.by().update(role.id, { name: other })
    expect([renamed.status, renamed.body.code]).toEqual([409, 'role_name_taken'])
  })

  test('a role may change the spelling of its own name, and other tenants may use the name', async () => {
    const [tenant, other] = [await world.tenant(), await world.tenant()]
    const { body: role } = await tenant.by().create({ name: 'Kassa' })
    expect((await tenant.by().update(role.id, { name: 'KASSA' })).body.name).toBe('KASSA')
    expect((await tenant.by().create({ name: 'kassa' })).body.code).toBe('role_name_taken')
    expect((await other.by().create({ name: 'kassa' })).status).toBe(201)
  })

  test('a name is stored and resolved without white space at its ends, also after an update', async () => {
    const tenant = await world.tenant()
    const { body: role } = await tenant.by().create({ name: ' Kassa\t', permissions: ['apikey:ReadKey'] })
    expect(role.name).toBe('Kassa')
    expect((await tenant.resolve({ role_names: ['Kassa'] })).permissions).toEqual(['apikey:ReadKey'])
    expect((await tenant.by().update(role.id, { name: '\u00a0Till ' })).body.name).toBe('Till')
  })

  test('%, _ and \\ are literal characters', async () => {
    const tenant = await world.tenant()
    for (const name of ['a_b', 'a%b', 'a\\b', 'axb', 'a', '%', 'a_']) {
      expect([name, (await tenant.by().create({ name })).status]).toEqual([name, 201])
    }
  })

  test('resolves role names of tokens exactly', async () => {
    const tenant = await world.tenant()
    await tenant.by().create({ name: 'Kassa', permissions: ['apikey:ReadKey'] })
    expect(await tenant.resolve({ role_names: ['kassa', 'KASSA', 'Admin'] })).toMatchObject({
      permissions: [],
      unknown: ['kassa', 'KASSA', 'Admin'],
    })
    expect((await tenant.resolve({ role_names: ['Kassa'] })).permissions).toEqual(['apikey:ReadKey'])
  })

  test.each([
    ['a control character', 'ad\u0007min'],
    ['a line feed', 'admin\n2'],
    ['a zero-width space', 'ad\u200bmin'],
    ['a zero-width joiner', 'ad\u200dmin'],
    ['a soft hyphen', 'ad\u00admin'],
    ['a byte order mark', 'ad\ufeffmin'],
    ['text reordered', 'nim\u202eda'],
    ['an isolate', '\u2067admin\u2069'],
    ['a line separator', 'ad\u2028min'],
    ['a Hangul filler', 'admin\u3164'],
    ['a variation selector', 'admin\ufe0f'],
    ['a tag character', 'admin\u{e0061}'],
    ['only a blank', ' '],
    ['a form of more than 200 characters', '\ufdfa'.repeat(12)],
  ])('rejects %s in a name, and names the field', async (_, name) => {
    const tenant = await world.tenant()
    const { body: role } = await tenant.by().create({ name: 'unrelated' })
    for (const reply of [await tenant.by().create({ name }), await tenant.by().update(role.id, { name })]) {
      expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request'])
      expect(reply.body.errors[0].pointer).toBe('/name')
    }
  })

  test('ten spellings at once create one role', async () => {
    const tenant = await world.tenant()
    const names = ['kassa', 'Kassa', 'KASSA', 'kASSA', 'kaSSa', 'ｋａｓｓａ', 'ＫＡＳＳＡ', 'ⓚⓐⓢⓢⓐ', 'kassA', 'kaßa']
    const replies = await Promise.all(names.map((name) => tenant.by().create({ name })))
    const codes = replies.map(({ status, body }): string => (status === 201 ? 'created' : body.code))
    expect(codes.sort()).toEqual(['created', ...Array(9).fill('role_name_taken')])
  })

  test('folding a name key again returns the same name key', () => {
    for (const name of ['Straße', 'İstanbul', 'ΟΔΟΣ', 'ŉ', 'ǅ', 'ﬃ', 'Kassa  2', '\u0345', '𐐀', 'ẞ', 'Å']) {
      expect(nameKey(nameKey(name))).toBe(nameKey(name))
    }
  })
})
