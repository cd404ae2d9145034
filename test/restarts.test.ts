/** @slow It starts its own platform. */
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { elsewhere } from '@payments/devkit/machine/machine'
import { freePorts } from '@payments/devkit/machine/ports'
import type { Profile } from '@payments/devkit/machine/profile'
import { loadSecrets } from '@payments/devkit/machine/secrets'
import { portTable } from '@payments/devkit/platform/process-ports'
import { type Platform, startPlatform } from '@payments/devkit/platform/start'
import { type ProcessGroup, processGroup, until } from '@payments/devkit/processes/process-group'
import { databaseName, toAdminUrl, withClient } from '@payments/devkit/servers/databases'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { ownProfile } from '@payments/testing/platform/servers'
import { unlimitedRates } from '../bench/load/unlimited-rates.ts'

/**
 * `npm start` with its own data and ports, under a load of writes: the processes, servers included, are killed one
 * after the other.
 */
const writesPerSecond = 60
const inProgressMax = 240
const timeoutMs = 120_000

let own: Profile
let group: ProcessGroup
let platform: Platform
let endpoint: Receiver
const lines: string[] = []

beforeAll(async () => {
  jest.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line))
  own = await ownProfile()
  group = processGroup(join(own.directory, 'processes.json'))
  const ports = await freePorts(Object.keys(portTable).length)
  const portVariables = Object.values(portTable).map(({ variable }, at) => [variable, String(ports[at])])
  const inherited = { PATH: process.env['PATH'], HOME: process.env['HOME'] }
  platform = await startPlatform(own, group, {
    ...inherited,
    ...unlimitedRates,
    ...Object.fromEntries(portVariables),
  })
  endpoint = await receiver()
}, 300_000)

afterAll(async () => {
  await group?.close()
  await endpoint?.close()
  for (const directory of [own.directory, elsewhere(own.directory)]) rmSync(directory, { recursive: true, force: true })
  jest.restoreAllMocks()
}, 120_000)

test(
  'each process is started again after a kill -9: no accepted write and no event is lost, the others continue',
  restartEach,
  900_000,
)

const processes = () =>
  JSON.parse(readFileSync(join(own.directory, 'processes.json'), 'utf8')) as { name: string; pid: number }[]
const findPid = (name: string) => processes().find((one) => one.name === name)?.pid

function call(path: string, body: object): Promise<Response> {
  return fetch(`${platform.gatewayUrl}/v1${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${platform.demo.api_key.value}`,
      'tenant-id': platform.demo.tenant_id,
      'trace-id': randomUUID(),
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  })
}

/** Writes at a constant rate until `stop`. Which were accepted, and when. */
function writing() {
  const accepted: string[] = []
  let pending = 0
  let refused = 0
  const write = async () => {
    if (pending >= inProgressMax) return
    pending += 1
    try {
      const body = { business_unit_id: platform.demo.business_unit_id, currency: 'USD', amount: 1999 }
      const response = await call('/payment-proxy/transactions', body)
      const { id } = (await response.json()) as { id?: string }
      if (response.status === 201 && id !== undefined) accepted.push(id)
      else refused += 1
    } catch {
      refused += 1 // the gateway or its connection is away
    }
    pending -= 1
  }
  const timer = setInterval(() => void write(), 1_000 / writesPerSecond)
  return {
    accepted,
    refused: () => refused,
    stop: async () => {
      clearInterval(timer)
      expect(await until(() => pending === 0, timeoutMs)).toBe(true)
    },
  }
}

async function restartEach(): Promise<void> {
  const subscription = { destination_url: endpoint.url, event_types: ['payment-proxy.transactions.create'] }
  const created = await call(`/webhooks/${platform.demo.business_unit_id}/webhooks`, subscription)
  expect(created.status).toBe(201)
  const before = new Map(processes().map(({ name, pid }) => [name, pid]))
  expect(before.size).toBe(15)
  const load = writing()
  lines.length = 0
  const moreWrites = async () => {
    const goal = load.accepted.length + writesPerSecond
    return until(() => load.accepted.length >= goal, timeoutMs)
  }
  for (const [name, pid] of before) {
    expect([name, await moreWrites()]).toEqual([name, true])
    expect([name, findPid(name)]).toEqual([name, pid])
    process.kill(pid, 'SIGKILL')
    expect([name, await until(() => ![undefined, pid].includes(findPid(name)), timeoutMs)]).toEqual([name, true])
  }
  expect(await moreWrites()).toBe(true)
  await load.stop()
  // A server whose port is not free yet may be started twice.
  const secondStart = / (postgres|rabbitmq|epmd) could not be started .* and is started again/
  const startedTwice = lines.flatMap((line) => secondStart.exec(line)?.[1] ?? [])
  expect(startedTwice).toEqual([...new Set(startedTwice)])
  const ends = lines.filter((line) => !secondStart.test(line))
  const killed = ends.map((line) => / (\S+) ended by itself \(SIGKILL\)/.exec(line)?.[1] ?? line)
  expect(killed.toSorted()).toEqual([...before.keys()].toSorted())

  const url = `postgresql://postgres:${loadSecrets(own.directory).postgresPassword}@127.0.0.1:${own.postgres.port}/postgres`
  const stored = await withClient(toAdminUrl(url, databaseName('payment-proxy')), async (client) => {
    const { rows } = await client.query<{ id: string }>('SELECT id FROM transactions')
    return new Set(rows.map(({ id }) => id))
  })
  expect(load.accepted.filter((id) => !stored.has(id))).toEqual([])
  const arrived = () =>
    new Set(endpoint.received.map(({ body }) => JSON.parse(body.toString()).metadata.payload.transaction.id as string))
  const missing = () => {
    const there = arrived()
    return load.accepted.filter((id) => !there.has(id))
  }
  await until(() => missing().length === 0, timeoutMs)
  expect(missing()).toEqual([])
  expect(existsSync(join(own.directory, 'logs', 'gateway.log'))).toBe(true)
}
