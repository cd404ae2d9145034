import { randomUUID } from 'node:crypto'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Seal } from '@payments/contracts/services/audit/contract'
import { exportToDirectory } from '../src/checkpoints/exporter.ts'
import { presentSeal } from '../src/domain/seal.ts'
import { startCheckpointExport } from '../src/jobs.ts'
import { readSeals, type SealRow } from '../src/store/seals.ts'
import { exportCheckpoints } from '../src/verbs/export-checkpoints.ts'
import { createRecord, startWorld, type World } from './world.ts'

let world: World
let directory: string
let tenantId: string
beforeAll(async () => {
  world = await startWorld()
})
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'checkpoints-'))
  tenantId = randomUUID()
})
afterEach(() => rmSync(directory, { recursive: true }))
afterAll(() => world.stop())

async function sealRecords(count = 1): Promise<void> {
  await world.store(Array.from({ length: count }, () => createRecord(tenantId)))
  await world.seal()
}

/** Exports like a process that has just started. */
const exportAll = () => exportCheckpoints(world.deps, exportToDirectory(directory), new Map())
const listFiles = (chain = tenantId) => readdirSync(join(directory, chain)).sort()
const filePath = (name: string) => join(directory, tenantId, name)
const newest = async (): Promise<Seal> => {
  const seals = await world.deps.db.inTenant(tenantId, (tx) => readSeals(tx, tenantId, 0, 100))
  return presentSeal(seals.at(-1) as SealRow)
}

describe('the newest seal of every chain is exported', () => {
  test('as one read-only file each', async () => {
    await world.store([createRecord(null)])
    await sealRecords()
    await exportAll()
    await sealRecords()
    const { exported, conflicts } = await exportAll()
    expect([exported, conflicts]).toEqual([1, []])
    expect(listFiles()).toEqual(['000000000001.json', '000000000002.json'])
    expect(listFiles('none')).toEqual(['000000000001.json'])
    expect(JSON.parse(readFileSync(filePath('000000000002.json'), 'utf8'))).toEqual(await newest())
    for (const name of listFiles()) expect(statSync(filePath(name)).mode & 0o777).toBe(0o440)
  })

  test('completely, also when ten replicas export at once', async () => {
    await sealRecords()
    const results = await Promise.all(Array.from({ length: 10 }, () => exportOne()))
    expect(results).not.toContain('conflict')
    // A replica that reads the file while another replica writes creates a copy.
    const contents = listFiles().map((name) => readFileSync(filePath(name), 'utf8'))
    expect(new Set(contents)).toEqual(new Set([`${JSON.stringify(await newest())}\n`]))
    expect(results.filter((result) => result === 'exported')).toHaveLength(contents.length)
  })

  test('in pages, for many chains', async () => {
    const tenants = Array.from({ length: 230 }, () => randomUUID())
    await world.store(tenants.map((id) => createRecord(id)))
    await world.seal()
    await exportAll()
    expect(readdirSync(directory)).toEqual(expect.arrayContaining(tenants))
  })

  test('by a job that reports the time of its last run', async () => {
    await sealRecords()
    const job = startCheckpointExport(world.deps, exportToDirectory(directory), 10)
    const deadline = Date.now() + 30_000
    while (!readdirSync(directory).includes(tenantId)) {
      if (Date.now() > deadline) throw new Error('no checkpoint was exported in time')
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    await job.stop()
    const text = await world.deps.metrics.registry.metrics()
    expect(text).toMatch(/audit_checkpoints_exported_timestamp_seconds\{[^}]*\} [1-9]/)
  })
})

const exportOne = async () => exportToDirectory(directory)(await newest())

describe('an exported file is never written again', () => {
  test('a rewritten chain is reported, and the file stays', async () => {
    await sealRecords()
    const genuine = await newest()
    await exportOne()
    expect(await exportToDirectory(directory)({ ...genuine, hash: 'f'.repeat(64) })).toBe('conflict')
    expect(JSON.parse(readFileSync(filePath('000000000001.json'), 'utf8'))).toEqual(genuine)
  })

  test('the job reports the chain that was rewritten in the database', async () => {
    await sealRecords()
    await exportAll()
    await world.tamper("UPDATE audit_seals SET hash = repeat('e', 64) WHERE tenant_id = $1", tenantId)
    expect((await exportAll()).conflicts).toEqual([tenantId])
  })

  test('a file that a crash truncated stays, and the checkpoint gets another file', async () => {
    await sealRecords()
    await exportOne()
    const whole = readFileSync(filePath('000000000001.json'), 'utf8')
    chmodSync(filePath('000000000001.json'), 0o640)
    writeFileSync(filePath('000000000001.json'), whole.slice(0, 30))
    expect(await exportOne()).toBe('exported')
    expect(await exportOne()).toBe('present')
    expect(readFileSync(filePath('000000000001.json'), 'utf8')).toBe(whole.slice(0, 30))
    expect(readFileSync(filePath('000000000001-2.json'), 'utf8')).toBe(whole)
  })
})
