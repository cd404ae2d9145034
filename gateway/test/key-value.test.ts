import type { Server } from 'node:http'
import { expect, test } from '@jest/globals'
import { keyHash } from '@payments/contracts/key-value'
import { startWorld } from './world.ts'

/** Everything that is said to a server from here on, as it stands on the wire. */
function overhear(server: Server): () => string {
  const heard: Buffer[] = []
  server.on('connection', (socket) => socket.on('data', (chunk: Buffer) => heard.push(chunk)))
  return () => Buffer.concat(heard).toString('latin1')
}

test('the value of a key stays in the gateway: its owner hears the SHA-256, rbac and the service nothing at all', async () => {
  const world = await startWorld()
  const [owner, rbac, service] = [world.apiKey.server, world.rbac.server, world.upstream.server].map(overhear)
  const { bearer, ...key } = await (await world.tenant()).keyWith(['transaction:ReadTransaction'])
  await world.send('get', '/v1/payment-proxy/transactions', { ...key, bearer }).expect(200)
  const said = [owner, rbac, service].map((hear) => hear?.() ?? '')
  expect(said.map((text) => text.includes(bearer))).toEqual([false, false, false])
  expect(said.map((text) => text.includes(keyHash(bearer)))).toEqual([true, false, false])
  expect(said.map((text) => text.includes('internal-assertion'))).toEqual([true, true, true])
  await world.stop()
})
