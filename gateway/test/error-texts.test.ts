import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { stopServer } from '@payments/chassis/process/serve'
import { contracts } from '@payments/contracts/edges/contracts'
import request from 'supertest'
import { startWorld, type TestTenant, type World } from './world.ts'

/** Text that no response may contain: addresses of services and errors of the operating system. */
const internal =
  /127\.0\.0\.1|localhost|\bhttps?:\/\/|amqps?:|postgres|:\d{4,5}\b|\bE(CONN|HOST|NET|AI_|ADDR|PIPE)\w*|node:|\.ts\b|\/work\//

let world: World
let tenant: TestTenant

beforeAll(async () => {
  world = await startWorld({ env: { AMQP_URL: 'amqp://127.0.0.1:9/' } })
  tenant = await world.tenant()
})
afterAll(() => world.stop())

const targets = contracts.flatMap(({ endpoints }) =>
  Object.values(endpoints)
    .filter(({ audience }) => audience === 'tenant')
    .map(({ method, path }) => ({ method, path: path.replaceAll(/\{[^}]+\}/g, randomUUID()) })),
)

async function textsOfAll(): Promise<string[]> {
  const texts: string[] = []
  for (const { method, path } of targets) {
    const name = method.toLowerCase() as 'get'
    const reply = await world.send(name, path, tenant.admin)
    texts.push(`${method} ${path} ${reply.status} ${JSON.stringify(reply.headers)} ${reply.text}`)
  }
  for (const path of ['/readyz', '/healthz', '/nowhere']) texts.push((await request(world.url).get(path)).text)
  return texts
}

const namesInternals = (texts: readonly string[]) => texts.filter((text) => internal.test(text))

test('no response names an internal address or host, while services are up, invalid or down', async () => {
  expect(targets.length).toBeGreaterThan(20)
  world.upstream.respond((incoming) => incoming.socket.end('SSH-2.0-nonsense\r\n\r\n'))
  expect(namesInternals(await textsOfAll())).toEqual([])
  await world.upstream.stop()
  expect(namesInternals(await textsOfAll())).toEqual([])
  await Promise.all([stopServer(world.apiKey.server, 0), stopServer(world.rbac.server, 0)])
  const texts = await textsOfAll()
  expect(texts.filter((text) => text.includes('503')).length).toBeGreaterThanOrEqual(targets.length)
  expect(texts.at(-3)).toContain('cannot be reached')
  expect(namesInternals(texts)).toEqual([])
}, 120_000)
