/** @slow It builds and runs two releases. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { readBooks } from '@payments/testing/platform/payment-books'
import { until } from './until.ts'
import { previousRelease } from './upgrade/previous-release.ts'
import { destination, type Upgrade, upgradeUnderLoad } from './upgrade/run.ts'
import { openWorld, type World } from './upgrade/world.ts'

/**
 * An upgrade without downtime: the previous release, built from git, is replaced by this one on the same databases, in
 * the order of docs/operating.md, while a tenant sends requests. Clients repeat only a 503 with `Retry-After`. No such
 * response has the cause that a connection between processes broke off.
 */
const previous = previousRelease()
const settleTimeoutMs = 240_000

const upgradeTests = (commit: string) => () => {
  let world: World
  let upgrade: Upgrade

  beforeAll(async () => {
    world = await openWorld(commit)
    upgrade = await upgradeUnderLoad(world)
  }, 1_200_000)

  afterAll(() => world?.stop(), 180_000)

  test('no request fails', () => {
    expect(upgrade.failed).toEqual([])
    expect(Math.min(...Object.values(upgrade.counts))).toBeGreaterThan(0)
  })

  test('each process of the previous release ends with exit code 0 after SIGTERM', () => {
    const ended = Object.fromEntries(Object.keys(upgrade.exits).map((name) => [name, { code: 0, signal: null }]))
    expect(Object.keys(ended)).toHaveLength(world.previous.plans.length + 1)
    expect(upgrade.exits).toEqual(ended)
  })

  test('the migrations keep every column that the previous release uses', () => {
    expect(upgrade.incompatible).toEqual([])
  })

  test('every event that was committed meanwhile is delivered', async () => {
    const { endpoint } = world
    const own = upgrade.events.filter(({ tenantId }) => tenantId === upgrade.tenant.tenant_id)
    expect(own.length).toBeGreaterThan(0)
    const lost = () => own.filter(({ id }) => (endpoint.arrivalsAt(destination).get(id)?.accepted ?? 0) === 0)
    await until('delivery of every event', () => lost().length === 0, settleTimeoutMs)
  }, 300_000)

  test('the books are exact', async () => {
    const { ownerUrl } = world.databases['payment-proxy']
    await until('end of every operation', async () => (await readBooks(ownerUrl)).open === 0, settleTimeoutMs)
    const books = await readBooks(ownerUrl)
    expect(books.differences).toEqual([])
    expect(books.operations).toBeGreaterThanOrEqual(3 * upgrade.counts.payment)
  }, 300_000)

  test('no connection between processes broke off', () => {
    expect(linesWith(/"msg":"unavailable"/).filter((line) => /ECONNRESET|ECONNREFUSED|EPIPE/.test(line))).toEqual([])
  })

  test('no process of either release logged an error', () => {
    expect(linesWith(/"level":"?(error|fatal|50|60)"?/)).toEqual([])
  })

  const linesWith = (pattern: RegExp) =>
    readdirSync(world.logDirectory).flatMap((file) =>
      readFileSync(join(world.logDirectory, file), 'utf8')
        .split('\n')
        .filter((line) => pattern.test(line))
        .map((line) => `${file}: ${line}`),
    )
}

test('a checkout with a previous release has its history', () => {
  expect(previous).not.toEqual({ missing: 'the history of git is incomplete' })
})

if ('missing' in previous) process.stdout.write(`not run: the upgrade under load, because ${previous.missing}\n`)
else describe('the previous release is replaced under load', upgradeTests(previous.commit))
