import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { contract } from '@payments/contracts/grammar/contract'
import { z } from 'zod'
import { createRouteTable } from '../src/route-table.ts'
import { startWorld, type World } from './world.ts'

const listed = { method: 'GET', audience: 'tenant', permission: 'transaction:ReadTransaction' } as const
const replies = { 200: z.object() } as const
const changing = contract({
  service: 'payment-proxy',
  description: 'A service with an endpoint that ends.',
  problems: {},
  events: {},
  endpoints: {
    current: { ...listed, path: '/v1/payment-proxy/current', summary: 'Look.', replies },
    ending: {
      ...listed,
      path: '/v1/payment-proxy/ending',
      summary: 'Look.',
      replies,
      deprecated: { since: '2026-11-23', sunset: '2027-11-30', link: '/docs/changelog' },
    },
  },
})

let world: World
beforeAll(async () => {
  world = await startWorld({ alter: (deps) => ({ ...deps, routes: createRouteTable([changing]) }) })
  world.upstream.respond((incoming, response) => {
    incoming.resume()
    response.writeHead(200, { 'Content-Type': 'application/json', Sunset: 'never', Link: '</x>' }).end('{}')
  })
})
afterAll(() => world.stop())

test('a deprecated endpoint names its end in every response, and another endpoint does not', async () => {
  const { admin } = await world.tenant()
  const fields = {
    deprecation: '@1795392000',
    sunset: 'Tue, 30 Nov 2027 00:00:00 GMT',
    link: '</docs/changelog>; rel="deprecation"; type="text/html"',
  }
  const ending = '/v1/payment-proxy/ending'
  expect(new Date(1_795_392_000_000).toISOString()).toBe('2026-11-23T00:00:00.000Z')
  expect((await world.send('get', ending, admin).expect(200)).headers).toMatchObject(fields)
  expect((await world.send('head', ending, admin).expect(200)).headers).toMatchObject(fields)
  expect((await world.send('get', ending, { bearer: 'x' }).expect(401)).headers).toMatchObject(fields)
  const current = await world.send('get', '/v1/payment-proxy/current', admin).expect(200)
  for (const name of Object.keys(fields)) expect(current.headers[name]).toBeUndefined()
})
