/** @slow It runs the commands of a document. */
import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Service, services, withClient } from '@payments/devkit/servers/databases'
import { type PrivateDatabase, privateDatabase } from '@payments/testing/database/database'
import { buildUnit, copyStatement } from '@payments/testing/peers/business-units'
import { blocks, createBackupRole, loseAll, order, readIncarnations, type Shell, shellFor } from './restore/commands.ts'

/**
 * The commands of docs/backup.md on the databases alone. restored-platform.test.ts runs them on a running platform, and
 * checks events, books and audit chains.
 */
const databases = {} as Record<Service, PrivateDatabase>
let directory: string
let run: Shell['run']

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'restore-'))
  for (const service of services) databases[service] = await privateDatabase(service)
  ;({ run } = shellFor(databases, directory))
  await createBackupRole()
}, 120_000)

afterAll(async () => {
  for (const database of Object.values(databases)) await database.drop()
  rmSync(directory, { recursive: true, force: true })
})

test('the document names every database, consumers of events before their producers', () => {
  expect([...order].sort()).toEqual([...services].sort())
  const isBefore = (first: Service, second: Service) => expect(order.indexOf(first)).toBeLessThan(order.indexOf(second))
  for (const producer of ['payment-proxy', 'business-unit', 'api-key', 'rbac'] as const) isBefore('webhooks', producer)
  for (const caller of ['identity', 'invite-to-pay'] as const) isBefore(caller, 'communication')
  isBefore('invite-to-pay', 'payment-proxy')
  for (const copier of ['webhooks', 'payment-proxy', 'communication', 'invite-to-pay'] as const)
    isBefore(copier, 'business-unit')
  expect(order.at(-1)).toBe('audit')
})

test('a dump that fails ends the backup, and is not named as a good one', async () => {
  const ofNothing = blocks.dump.replaceAll('$DATABASES', 'no_such_database')
  await expect(run(ofNothing, [], 'payments_backup')).rejects.toThrow('no_such_database')
  expect(existsSync(join(directory, 'no_such_database.dump'))).toBe(false)
})

const copiers = ['webhooks', 'payment-proxy', 'communication', 'invite-to-pay'] as const

test('all databases return from their dumps: rows, privileges and policies, and a new history of authorization', async () => {
  const [tenantId, businessUnitId] = [randomUUID(), randomUUID()]
  const { text, values } = copyStatement(buildUnit({ tenantId, businessUnitId }))
  for (const service of copiers) await asTenant(databases[service].url, tenantId, text, values)
  const incarnations = await readIncarnations(databases)
  await run(blocks.grants, order)
  await run(blocks.dump, order, 'payments_backup')
  await loseAll(databases)
  await run(blocks.restore, order, 'payments_owner')
  await run(blocks.incarnation, order, 'payments_owner')

  const select = 'SELECT business_unit_id FROM business_unit_copies'
  for (const service of copiers) {
    const { url } = databases[service]
    const found = [await asTenant(url, tenantId, select), await asTenant(url, randomUUID(), select)]
    expect([service, found]).toEqual([service, [[{ business_unit_id: businessUnitId }], []]])
  }
  for (const [i, value] of (await readIncarnations(databases)).entries()) expect(value).not.toBe(incarnations[i])
}, 180_000)

/** A statement of the service of a database, for a tenant. */
function asTenant(url: string, tenantId: string, text: string, values: unknown[] = []): Promise<object[]> {
  return withClient(url, async (client) => {
    await client.query(`SELECT set_config('app.tenant_id', $1, false)`, [tenantId])
    return (await client.query(text, values)).rows
  })
}
