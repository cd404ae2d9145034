import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import { codesPath, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('reads a code without its link; another tenant and an unknown id get the same 404', async () => {
  const tenant = world.tenant()
  const code = await tenant.create()
  expect(await tenant.read(code.id)).toEqual({ ...code, url: null })
  const [foreign, unknown] = [
    await world.tenant().get(`${codesPath}/${code.id}`),
    await tenant.get(`${codesPath}/${randomUUID()}`),
  ]
  expect(outcome(foreign)).toEqual([404, 'code_not_found'])
  const { trace_id: _theirs, ...body } = foreign.body
  expect(unknown.body).toMatchObject(body)
})
