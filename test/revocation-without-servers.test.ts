/** @slow It kills its own servers. */
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type OwnServer, type PrivateServers, privateServers } from '@payments/testing/platform/servers'
import { everyMethod } from '../bench/revocation/load.ts'
import { during, openWorld, type World } from './revocation/world.ts'

/**
 * After the response to a revocation, no gateway accepts the revoked credential, while servers of their own are killed.
 * revocation-disturbed.test.ts has the other disturbances.
 */
let servers: PrivateServers
let world: World

beforeAll(async () => {
  const started = await privateServers()
  if (started === undefined) throw new Error('PostgreSQL or RabbitMQ is missing')
  servers = started
  world = await openWorld({ servers })
}, 300_000)

afterAll(async () => {
  await world?.stop()
  await servers?.stop()
}, 120_000)

/**
 * Ends and starts a server, waits until every gateway serves again, and leaves the platform in peace for a second.
 * `whileAway` is the status of a request with a valid key that arrives without the server.
 */
const restart = async (server: OwnServer, signal: NodeJS.Signals, whileAway: 200 | 503) => {
  await server.end(signal)
  await world.untilAll(whileAway)
  await server.start()
  await world.untilAll(200)
  await delay(1_000)
}

test('no revoked credential is accepted after the response while RabbitMQ is killed, and no valid one is rejected', async () => {
  const tally = await during(world.run(2), () => restart(servers.rabbitmq, 'SIGKILL', 200))
  expect(tally.acceptedAfter).toEqual([])
  expect([tally.revocations, tally.unavailable]).toEqual([everyMethod.length * 2, 0])
}, 240_000)

test('no revoked credential is accepted after the response while PostgreSQL restarts', async () => {
  const tally = await during(world.run(), () => restart(servers.postgres, 'SIGINT', 503))
  expect(tally.acceptedAfter).toEqual([])
  expect(tally.revocations).toBe(everyMethod.length)
}, 240_000)
