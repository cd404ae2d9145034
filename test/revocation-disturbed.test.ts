/** @slow It starts its own platform, and pauses its processes. */
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { freePorts } from '@payments/devkit/machine/ports'
import { type TcpProxy, tcpProxy } from '@payments/testing/peers/tcp-proxy'
import type { TestStack } from '@payments/testing/platform/local-stack'
import { everyMethod, everyPersonMethod } from '../bench/revocation/load.ts'
import { during, openWorld, type World } from './revocation/world.ts'

/** As revocation.test.ts, while the broker is away or processes are paused. */
let proxy: TcpProxy
let world: World<TestStack>

beforeAll(async () => {
  const [port = 0] = await freePorts(1)
  proxy = await tcpProxy(port)
  world = await openWorld({ amqpUrl: proxy.url })
}, 300_000)

afterAll(async () => {
  await world?.stop()
  await proxy?.cut()
}, 120_000)

test('no cookie and no JWT of a session is accepted after the response without RabbitMQ', async () => {
  await proxy.cut()
  const tally = await world.runPeople()
  await proxy.restore()
  expect(tally.acceptedAfter).toEqual([])
  expect([tally.revocations, tally.unavailable]).toEqual([everyPersonMethod.length, 0])
}, 120_000)

test('no revoked credential is accepted after the response without RabbitMQ, and no valid one is rejected', async () => {
  await proxy.cut()
  const tally = await world.run()
  await proxy.restore()
  expect(tally.acceptedAfter).toEqual([])
  expect([tally.revocations, tally.unavailable]).toEqual([everyMethod.length, 0])
}, 120_000)

test('no revoked credential is accepted after the response while a gateway and an api-key are paused at random', async () => {
  const pause = async () => {
    for (const [stack, name] of [
      [world.secondGateway.replica, 'gateway'],
      [world.platform, 'api-key'],
    ] as const) {
      await delay(150 * Math.random())
      await stack.kill(name, 'SIGSTOP')
      await delay(200)
      await stack.kill(name, 'SIGCONT')
    }
  }
  const tally = await during(world.run(), pause)
  expect(tally.acceptedAfter).toEqual([])
  expect(tally.revocations).toBe(everyMethod.length)
}, 120_000)
