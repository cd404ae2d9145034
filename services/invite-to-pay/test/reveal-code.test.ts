import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { inviteToPay } from '@payments/contracts/services/invite-to-pay/contract'
import { outcome } from '@payments/testing/calls/caller'
import { codesPath, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('reveals the link of a code, in a response that is not cached and counts as a reveal', async () => {
  const tenant = world.tenant()
  const code = await tenant.create()
  const reply = await tenant.get(`${codesPath}/${code.id}/reveal`).expect(200)
  expect(reply.body).toEqual(code)
  expect(reply.headers['cache-control']).toBe('no-store')
  expect(inviteToPay.endpoints.revealCode.reveals).toBe(true)
})

test('no permission but the one to reveal shows the link of another caller', async () => {
  const tenant = world.tenant()
  const code = await tenant.create()
  const reader = world.asTenant(tenant.id, ['invitetopay:ReadCode', 'invitetopay:UpdateCode', 'invitetopay:CancelCode'])
  expect(outcome(await reader.get(`${codesPath}/${code.id}/reveal`))).toEqual([403, 'permission_denied'])
  const replies = [
    await reader.get(`${codesPath}/${code.id}`),
    await reader.get(codesPath),
    await reader.patch(`${codesPath}/${code.id}`, { return_url: null }),
    await reader.post(`${codesPath}/${code.id}/cancel`),
  ]
  for (const { status, text } of replies) expect([status, text.includes(code.url.slice(-22))]).toEqual([200, false])
  const revealer = world.asTenant(tenant.id, ['invitetopay:RevealCode'])
  expect((await revealer.get(`${codesPath}/${code.id}/reveal`).expect(200)).body.url).toBe(code.url)
})

test('another tenant and an unknown id get the same 404', async () => {
  const code = await world.tenant().create()
  const other = world.tenant()
  const foreign = await other.get(`${codesPath}/${code.id}/reveal`)
  expect(outcome(foreign)).toEqual([404, 'code_not_found'])
  const { trace_id: _theirs, ...body } = foreign.body
  expect((await other.get(`${codesPath}/${randomUUID()}/reveal`)).body).toMatchObject(body)
})
