import type { Server } from 'node:http'
import { expect, test } from '@jest/globals'
import { keyHash } from '@payments/contracts/grammar/key-value'
import { startWorld } from './world.ts'

/** Captures the bytes that a server receives from now on. */
function captureBytes(server: Server): () => string {
  const chunks: Buffer[] = []
  server.on('connection', (socket) => socket.on('data', (chunk: Buffer) => chunks.push(chunk)))
  return () => Buffer.concat(chunks).toString('latin1')
}

test('the value of a key stays in the gateway: api-key gets the key hash, rbac and the service get neither', async () => {
  const world = await startWorld()
  const [apiKey, rbac, service] = [world.apiKey.server, world.rbac.server, world.upstream.server].map(captureBytes)
  const { bearer, ...key } = await (await world.tenant()).keyWith(['transaction:ReadTransaction'])
  await world.send('get', '/v1/payment-proxy/transactions', { ...key, bearer }).expect(200)
  const received = [apiKey, rbac, service].map((captured) => captured?.() ?? '')
  expect(received.map((text) => text.includes(bearer))).toEqual([false, false, false])
  expect(received.map((text) => text.includes(keyHash(bearer)))).toEqual([true, false, false])
  expect(received.map((text) => text.includes('internal-assertion'))).toEqual([true, true, true])
  await world.stop()
})
