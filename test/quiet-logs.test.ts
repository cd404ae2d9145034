/** @slow It starts its own platform. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startTestStack, type TestStack } from '@payments/testing/platform/local-stack'
import { type PrivateServers, privateServers } from '@payments/testing/platform/servers'
import { onboard } from './tenant.ts'

/** Warnings that PostgreSQL and RabbitMQ log at every first start, regardless of queries. */
let servers: PrivateServers
let platform: TestStack | undefined

beforeAll(async () => {
  const started = await privateServers()
  if (started === undefined) throw new Error('PostgreSQL or RabbitMQ is missing')
  servers = started
}, 180_000)
afterAll(async () => {
  await platform?.stop()
  await servers?.stop()
}, 120_000)

/** Warnings of RabbitMQ on an empty disk. */
const ofItsOwn = /Message store ".*": rebuilding indices from scratch/

function complaints(directory: string): string[] {
  return readdirSync(directory)
    .filter((file) => /^(postgres|rabbitmq).*\.log$/.test(file))
    .flatMap((file) => readFileSync(join(directory, file), 'utf8').split('\n'))
    .filter((line) => /\b(WARNING|ERROR|FATAL|PANIC):|\[(warning|error|critical|alert|emergency)\]/.test(line))
    .filter((line) => !ofItsOwn.test(line))
}

test('provisioning leaves no error and no warning in the logs of the servers', () => {
  expect(readdirSync(servers.logDirectory)).toEqual(expect.arrayContaining(['postgres.log', 'rabbitmq.log']))
  expect(complaints(servers.logDirectory)).toEqual([])
})

test('nor does a first start: migrations, every process, the first tenant, and the orderly end', async () => {
  platform = await startTestStack({ servers })
  await onboard(platform, 'Acme')
  await platform.stop()
  platform = undefined
  expect(complaints(servers.logDirectory)).toEqual([])
}, 300_000)
