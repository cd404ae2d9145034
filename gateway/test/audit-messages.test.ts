import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { newId } from '@payments/chassis/base/id'
import {
  auditMessageBytesMax,
  auditQueue,
  decodeAuditLines,
  encodeAuditLine,
} from '@payments/contracts/edges/audit-line'
import type { AuditRecord } from '@payments/contracts/services/audit/contract'
import { divideIntoMessages } from '../src/audit/audit-messages.ts'

const createRecord = (tenantId: string | null, fields: Partial<AuditRecord> = {}): AuditRecord => ({
  ...fields,
  id: newId(),
  occurred_at: new Date().toISOString(),
  trace_id: randomUUID(),
  tenant_id: tenantId,
  actor: { type: 'api_key', id: randomUUID() },
  client: null,
  method: 'GET',
  path: '/v1/api-key/keys',
  operation: 'listKeys',
  permission: 'apikey:ReadKey',
  outcome: 'success',
  status: 200,
  code: null,
  ip: '127.0.0.1',
  user_agent: fields.user_agent ?? 'ünï "quoted"\\',
  duration_ms: 1,
  client_gone: false,
  count: 1,
})

const encodeLines = (records: readonly AuditRecord[]) => Buffer.from(records.map(encodeAuditLine).join(''))
const tenantOfDigit = (digit: string) => `${randomUUID().slice(0, -1)}${digit}`

/** The ids of the records by queue. */
function idsByQueue(lines: Buffer): Record<string, string[]> {
  const ids: Record<string, string[]> = {}
  for (const { queue, body } of divideIntoMessages(lines)) {
    const { records, unreadable } = decodeAuditLines(body)
    expect(unreadable).toBe(0)
    ids[queue] = [...(ids[queue] ?? []), ...records.map(({ id }) => id)]
  }
  return ids
}

test('few records are one message with the same bytes, of however many tenants', () => {
  const lines = encodeLines(Array.from('0123456789abcdef', (digit) => createRecord(tenantOfDigit(digit))))
  expect(divideIntoMessages(lines)).toEqual([{ queue: 'audit.records', body: lines }])
})

test('many records are divided by the last digit of the tenant, in messages of at most 128 KiB', () => {
  const tenants = [...Array.from('0123456789abcdef', tenantOfDigit), null]
  const records = Array.from({ length: 3_000 }, (_, i) => createRecord(tenants[i % tenants.length] ?? null))
  const lines = encodeLines(records)
  const expected: Record<string, string[]> = {}
  for (const { id, tenant_id: tenantId } of records) {
    const shard = tenantId === null ? undefined : Number.parseInt(tenantId.slice(-1), 16) % 4
    const queue = shard === undefined ? auditQueue.name : `audit.records.${shard}`
    expected[queue] = [...(expected[queue] ?? []), id]
  }
  expect(idsByQueue(lines)).toEqual(expected)
  const sizes = divideIntoMessages(lines).map(({ body }) => body.length)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(auditMessageBytesMax)
  // All but the last message of a queue are full.
  expect(sizes.length).toBeLessThanOrEqual(Math.ceil(lines.length / auditMessageBytesMax) + 5)
})

test('text of a request does not choose the shard, wherever the record has it', () => {
  const text = `"tenant_id":"${tenantOfDigit('3')}"`
  const records = Array.from({ length: 300 }, () => createRecord(tenantOfDigit('1'), { user_agent: text, path: text }))
  expect(JSON.stringify(records[0]).indexOf('user_agent')).toBeLessThan(JSON.stringify(records[0]).indexOf('tenant_id'))
  expect(Object.keys(idsByQueue(encodeLines(records)))).toEqual(['audit.records.1'])
})

test('a damaged line travels with the records without a tenant', () => {
  const damaged = Buffer.from('damaged\n')
  const lines = Buffer.concat([
    encodeLines(Array.from({ length: 200 }, () => createRecord(tenantOfDigit('2')))),
    damaged,
  ])
  const messages = divideIntoMessages(lines)
  expect(messages.map(({ queue }) => queue)).toEqual(['audit.records.2', 'audit.records'])
  expect(messages.at(-1)?.body).toEqual(damaged)
})
