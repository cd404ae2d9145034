import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { permissions } from '@payments/contracts/grammar/permission'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('returns the whole catalogue with descriptions', async () => {
  const reply = await world.asTenant(randomUUID()).get('/v1/rbac/permissions')
  expect(
    Object.fromEntries(reply.body.data.map((p: { name: string; description: string }) => [p.name, p.description])),
  ).toEqual(permissions)
})

test('names the operations that each permission opens', async () => {
  const { body } = await world.asTenant(randomUUID()).get('/v1/rbac/permissions?limit=200')
  const listed: { name: string; operations: string[] }[] = body.data
  const findOperations = (name: string) => listed.find((one) => one.name === name)?.operations
  expect(findOperations('transaction:RefundTransaction')).toEqual(['refundTransaction'])
  expect(findOperations('rbac:ReadRole')).toEqual(['listRoles', 'readRole'])
  expect(listed.filter(({ operations }) => operations.length === 0)).toEqual([])
})
