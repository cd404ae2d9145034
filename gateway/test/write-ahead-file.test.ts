import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { within } from '@payments/chassis/base/deadline'
import { newId } from '@payments/chassis/base/id'
import { encodeAuditLine } from '@payments/contracts/edges/audit-line'
import type { AuditRecord } from '@payments/contracts/services/audit/contract'
import { pino } from 'pino'
import { leftoverSegments, removeSegment, type Segment } from '../src/audit/segment.ts'
import { WriteAheadFile } from '../src/audit/write-ahead-file.ts'
import { failingDisk } from './failing-disk.ts'
import { auditIn, until } from './world.ts'

const log = pino({ level: 'silent' })
let directory: string
let segments: Segment[]
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'wal-'))
  segments = await leftoverSegments(directory)
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

function createRecord(): AuditRecord {
  return {
    id: newId(),
    occurred_at: new Date().toISOString(),
    trace_id: randomUUID(),
    tenant_id: null,
    actor: { type: 'anonymous', id: null },
    client: null,
    method: 'GET',
    path: '/ünïcode',
    operation: null,
    permission: null,
    outcome: 'rejected',
    status: 404,
    code: 'route_not_found',
    ip: '127.0.0.1',
    user_agent: 'a "quoted"\\ one\u2028',
    duration_ms: 0.125,
    client_gone: false,
    count: 1,
  }
}

const open = (options: { directory?: string; segmentBytesMax?: number } = {}) =>
  new WriteAheadFile({
    directory,
    segments,
    segmentBytesMax: 1 << 20,
    log,
    onWrite: () => {},
    onFailure: () => {},
    ...options,
  })

const append = (file: WriteAheadFile, record: AuditRecord, isDurable = false) =>
  new Promise<void>((resolve, reject) => {
    file.append(encodeAuditLine(record), isDurable, (error) => (error === undefined ? resolve() : reject(error)))
  })

test('a record reported as written is in the file, unchanged', async () => {
  const file = open()
  const records = Array.from({ length: 100 }, createRecord)
  await Promise.all(records.map((record) => append(file, record)))
  expect(auditIn(directory)).toEqual(records)
  expect(file.queuedBytes()).toBe(0)
  await file.close()
})

test('an ordinary record does not wait for the disk, and is on it within 100 ms', async () => {
  const file = open()
  const syncMs: number[] = []
  // The disk of a busy machine is late at times, but not always.
  while (syncMs.length < 20 && !syncMs.some((ms) => ms < 200)) {
    await append(file, createRecord())
    const writtenAt = performance.now()
    expect(file.unsynced()).toBeGreaterThan(0)
    await until(() => (file.unsynced() === 0 ? true : undefined))
    syncMs.push(performance.now() - writtenAt)
  }
  expect(Math.min(...syncMs)).toBeLessThan(200)
  await file.close()
})

test('a durable record is on the disk before it is reported as written, together with earlier records', async () => {
  const file = open()
  for (let i = 0; i < 5; i++) {
    await Promise.all([append(file, createRecord()), append(file, createRecord())])
    await append(file, createRecord(), true)
    expect(file.unsynced()).toBe(0)
  }
  await file.close()
})

test('reports durable records that one round writes with two calls, without a later record', async () => {
  const file = open({ segmentBytesMax: 1 << 24 })
  // Two writes of at most about 1 MiB.
  const records = Array.from({ length: 200 }, () => ({ ...createRecord(), path: `/${'a'.repeat(8_000)}` }))
  const reported = Promise.all(records.map((record) => append(file, record, true)))
  await expect(within(10_000, 'reporting the records', reported)).resolves.toHaveLength(200)
  expect(auditIn(directory)).toEqual(records)
  await file.close()
})

test('writes segments of limited size, in the order of the records', async () => {
  const file = open({ segmentBytesMax: 4_096 })
  const records = Array.from({ length: 60 }, createRecord)
  for (const record of records) await append(file, record)
  await file.close()
  expect(segments.length).toBeGreaterThan(4)
  expect(segments.every(({ written, isOpen }) => written <= 4_096 && !isOpen)).toBe(true)
  expect(readdirSync(directory).sort()).toEqual(segments.map(({ path }) => path.slice(directory.length + 1)))
  expect(auditIn(directory)).toEqual(records)
})

test('a killed process leaves every record that it reported as written', async () => {
  const child = spawn(process.execPath, [
    join(import.meta.dirname, 'write-ahead-process.mjs'),
    directory,
    JSON.stringify(createRecord()),
  ])
  let reported = ''
  let errors = ''
  child.stdout.on('data', (chunk) => (reported += chunk))
  child.stderr.on('data', (chunk) => (errors += chunk))
  const ended = new Promise((resolve) => child.once('close', resolve))
  await until(() => (reported.length > 100_000 || errors !== '' ? true : undefined))
  child.kill('SIGKILL')
  await ended
  expect(errors).toBe('')
  const ids = reported.split('\n').slice(0, -1)
  const stored = new Set(auditIn(directory).map(({ id }) => id))
  expect(ids.length).toBeGreaterThan(2_000)
  expect(ids.filter((id) => !stored.has(id))).toEqual([])
})

test('a full disk fails the append, loses no record, and is written again when it has space', async () => {
  const disk = failingDisk()
  try {
    const file = open({ directory: disk.directory })
    disk.fill()
    const [first, second] = [createRecord(), createRecord()]
    await expect(append(file, first)).rejects.toThrow(/ENOSPC|ENOENT/)
    expect(file.failure()).toBeDefined()
    await expect(append(file, second, true)).rejects.toThrow(/ENOSPC|ENOENT/)
    disk.free()
    await until(() => (file.failure() === undefined ? true : undefined))
    const third = createRecord()
    await append(file, third)
    const ids = [...new Set(auditIn(disk.directory).map(({ id }) => id))]
    expect(ids).toEqual([first.id, second.id, third.id])
    await file.close()
  } finally {
    disk.remove()
  }
})

test('does not write again after it was closed on a full disk', async () => {
  const disk = failingDisk()
  try {
    const file = open({ directory: disk.directory })
    disk.fill()
    await expect(append(file, createRecord())).rejects.toThrow(/ENOSPC|ENOENT/)
    await file.close()
    disk.free()
    // Twice the time between attempts.
    await delay(2_000)
    expect(auditIn(disk.directory)).toEqual([])
  } finally {
    disk.remove()
  }
})

test('removes a segment, also one that an operator has deleted', async () => {
  const segment: Segment = { path: join(directory, 'segment'), written: 5, shipped: 5, isOpen: false }
  writeFileSync(segment.path, 'line\n')
  await removeSegment(segment)
  expect(existsSync(segment.path)).toBe(false)
  await removeSegment(segment)
  await expect(removeSegment({ ...segment, path: directory })).rejects.toMatchObject({ code: expect.any(String) })
})
