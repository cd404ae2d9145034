import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { newEmail, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const listIds = (reply: { body: { data: { id: string }[] } }) => reply.body.data.map(({ id }) => id)

describe('listUsers', () => {
  test('lists the users of the tenant page by page, and none of another tenant', async () => {
    const [tenant, other] = [await world.tenant(), await world.tenant()]
    await other.member()
    const users = [await tenant.member(), await tenant.member(), await tenant.member()]
    const newestFirst = users.map(({ id }) => id).reverse()
    expect(listIds(await tenant.by().listUsers())).toEqual(newestFirst)
    const first = await tenant.by().listUsers('?limit=2')
    expect(listIds(first)).toEqual(newestFirst.slice(0, 2))
    const second = await tenant.by().listUsers(`?limit=2&cursor=${first.body.next_cursor}`)
    expect([listIds(second), second.body.next_cursor]).toEqual([newestFirst.slice(2), null])
  })

  test('filters by email address in any case, by role, and by whether a user is enabled', async () => {
    const tenant = await world.tenant()
    const email = newEmail()
    const named = await tenant.member([tenant.viewerRole], { email })
    const admin = await tenant.member([tenant.adminRole, tenant.viewerRole])
    const disabled = await tenant.member([], { enabled: false })
    expect(listIds(await tenant.by().listUsers(`?email=${email.toLowerCase()}`))).toEqual([named.id])
    expect(listIds(await tenant.by().listUsers(`?email=${email.toUpperCase()}`))).toEqual([named.id])
    expect(listIds(await tenant.by().listUsers(`?email=${email.replace('da', '_a')}`))).toEqual([])
    expect(listIds(await tenant.by().listUsers(`?role_id=${tenant.adminRole}`))).toEqual([admin.id])
    expect(listIds(await tenant.by().listUsers('?enabled=false'))).toEqual([disabled.id])
    expect(listIds(await tenant.by().listUsers(`?enabled=true&role_id=${tenant.viewerRole}`))).toEqual([
      admin.id,
      named.id,
    ])
  })

  test('finds an address of another script, in either form of its domain, and no other mailbox', async () => {
    const tenant = await world.tenant()
    const [anne, kelvin] = [`ÄNNE.${randomUUID()}`, `\u212Aate.${randomUUID()}`]
    const named = await tenant.member([], { email: `${anne}@BÜCHER.example` })
    await tenant.member([], { email: `${kelvin}@example.com` })
    const found = async (query: string) =>
      listIds(await tenant.by().listUsers(`?${new URLSearchParams({ email: query })}`))
    for (const domain of ['BÜCHER.example', 'bücher.EXAMPLE', 'xn--bcher-kva.example']) {
      expect(await found(`${anne}@${domain}`)).toEqual([named.id])
    }
    expect(await found(`${anne.replace('NNE', 'nne')}@bücher.example`)).toEqual([named.id])
    expect(await found(`${anne}@bucher.example`)).toEqual([])
    expect(await found(`${anne.toLowerCase()}@bücher.example`)).toEqual([])
    expect(await found(`${kelvin.toLowerCase()}@example.com`)).toEqual([])
  })

  test('finds users by a part of their name or email address, in any case, and none of another tenant', async () => {
    const [tenant, other] = [await world.tenant(), await world.tenant()]
    const email = newEmail()
    const [named, second] = [await tenant.member([], { email }), await tenant.member()]
    const part = encodeURIComponent(email.split('@')[0]?.toUpperCase() ?? '')
    expect(listIds(await tenant.by().listUsers(`?search=${part}`))).toEqual([named.id])
    expect(listIds(await other.by().listUsers(`?search=${part}`))).toEqual([])
    await world.rows(`UPDATE users SET name = '100% Zelda_Q' WHERE id = $1::uuid RETURNING id`, named.id)
    await world.rows(`UPDATE users SET name = $2 WHERE id = $1::uuid RETURNING id`, second.id, 'Gräfin ÄGYPTEN')
    expect(listIds(await tenant.by().listUsers(`?search=${encodeURIComponent('gräfin ägypten')}`))).toEqual([second.id])
    for (const search of ['zelda', '100%25', 'a_q']) {
      expect(listIds(await tenant.by().listUsers(`?search=${search}`))).toEqual([named.id])
    }
    expect(listIds(await tenant.by().listUsers('?search=%25_'))).toEqual([])
    const { body } = await tenant.by().listUsers('?search=')
    expect(body.errors).toMatchObject([{ pointer: '/query/search' }])
  })
})
