import { describe, expect, jest, test } from '@jest/globals'
import { findingColumns, recordColumns, reportColumns } from '../src/audit-columns.ts'
import {
  attemptColumns,
  differenceColumns,
  groupColumns,
  letterColumns,
  openColumns,
  queueColumns,
  taskColumns,
  tenantListColumns,
} from '../src/columns.ts'
import { printable, printJson } from '../src/output.ts'
import { type Column, formatAge, narrowLines, wideLines } from '../src/table.ts'

const id = '0191e4a2-0000-7d11-8c55-91b6e0a7c002'
const at = '2026-01-31T12:00:00.000Z'
const long = 'a text that is longer than the line of a terminal, as errors of providers and addresses of receivers are'
const tenants: Column<unknown>[] = [
  { title: 'tenant', cell: () => id, narrow: { title: 'tenant', cell: () => long }, fit: 'end' },
  { title: 'tenant name', cell: () => long, narrow: null },
]
const report = {
  tenant_id: id,
  seals: 99_999,
  records_checked: 9_999_999,
  beyond_retention: 0,
  unsealed: 0,
}
const letter = {
  id,
  tenant_id: id,
  business_unit_id: id,
  event_type: 'payment-proxy.transactions.authorize.and.capture',
  tenant_event_id: id,
  destination_url: `https://receiver.example/${long}`,
  attempts: 8,
  last_error: long,
  dead_at: at,
}
const open = {
  id,
  tenant_id: id,
  business_unit_id: id,
  payment_orchestrator_id: id,
  transaction_id: id,
  type: 'authorize',
  state: 'needs_review',
  reason: long,
  amount: 123_456_789,
  currency: 'EUR',
  provider_reference: 'pi_3OyXabcdefghijklmnopqrst',
  attempt_count: 12,
  created_at: at,
  due_at: at,
  trace_id: id,
} as const

/** Each list with an item whose every text is long. */
const lists: readonly (readonly [string, readonly Column<never>[], object])[] = [
  ['tenants', tenantListColumns, { id, name: long, status: 'suspended', created_at: at, updated_at: at }],
  ['open operations', openColumns(tenants), open],
  [
    'differences',
    differenceColumns,
    { kind: 'not_recorded', operation_id: id, provider_reference: open.provider_reference, detail: long },
  ],
  ['queues', queueColumns, { name: 'invite-to-pay.quarantine', depth: 999_999, oldest_at: at }],
  ['dead letters', letterColumns(tenants), letter],
  ['quarantined messages', letterColumns(tenants), { ...letter, id: long.repeat(2), event_type: null }],
  ['groups', groupColumns('event_type'), { key: letter.event_type, count: 99_999, oldest_at: at, newest_at: at }],
  [
    'attempts',
    attemptColumns,
    {
      number: 8,
      started_at: at,
      duration_ms: 10_000,
      status_code: 503,
      error_kind: 'blocked_address',
      error_detail: long,
    },
  ],
  [
    'tasks',
    taskColumns(tenants),
    { id, kind: 'discard', status: 'canceled', done: 99_999, total: 99_999, created_by: long, created_at: at },
  ],
  [
    'audit records',
    recordColumns,
    {
      occurred_at: at,
      actor: { type: 'api_key', id },
      client: 'console',
      operation: 'createAndAuthorizeTransaction',
      path: `/v1/${long}`,
      status: 409,
      code: 'idempotency_key_in_use',
      ip: '2001:db8:1234:5678:9abc:def0:1234:5678',
      trace_id: id,
    },
  ],
  ['audit reports', reportColumns, { ...report, checkpoints_met: 12, findings: [] }],
  ['audit findings', findingColumns, { tenant_id: id, sequence: 99_999, kind: 'checkpoint_missed', detail: long }],
]

describe.each(lists)('the list of %s', (_name, columns, item) => {
  test('fits 80 columns, without rules between its rows', () => {
    const lines = narrowLines([item as never, item as never], columns, 80)
    expect(lines.filter((line) => line.length > 80)).toEqual([])
    expect(lines.join('\n')).not.toMatch(/[│─┌|]|---/)
  })

  test('has everything whole with -o wide, one line per item', () => {
    const lines = wideLines([item as never], columns)
    expect(lines).toHaveLength(2)
    expect(lines[1]).not.toContain('…')
    if (JSON.stringify(item).includes(id)) expect(lines[1]).toContain(id)
    if (JSON.stringify(item).includes(at)) expect(lines[1]).toContain(at)
  })
})

test.each([
  [3998, 'EUR', '39.98 EUR'],
  [3998, 'JPY', '3998 JPY'],
  [3998, 'KWD', '3.998 KWD'],
  [3998, 'CLF', '0.3998 CLF'],
])('shows %i minor units of %s as %s', (amount, currency, shown) => {
  const [, line] = wideLines([{ ...open, amount, currency }], openColumns([]))
  expect(line).toContain(`  ${shown}  `)
})

test('a line that is too long takes from texts, and from the last lines of a column that continues', () => {
  const columns: Column<{ name: string; why: string }>[] = [
    { title: 'name', cell: ({ name }) => name, fit: 'end' },
    { title: 'why', cell: ({ why }) => why, fit: 'fold' },
  ]
  const why = 'one two three four five six seven eight nine ten'
  expect(narrowLines([{ name: 'Payments of Acme', why }], columns, 40)).toEqual([
    'NAME            WHY',
    'Payments of A…  one two three four five',
    '                six seven eight nine ten',
  ])
})

test('columns are aligned where a character takes two columns of the terminal', () => {
  const columns: Column<string>[] = [
    { title: 'name', cell: (name) => name },
    { title: 'end', cell: () => '|' },
  ]
  expect(wideLines(['日本', 'abcd', '👩‍💻é'], columns)).toEqual(['NAME  END', '日本  |', 'abcd  |', '👩‍💻é   |'])
})

test.each([
  [0, '0 s'],
  [-5_000, '0 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [3 * 3_600_000 + 1, '3 h'],
  [400 * 86_400_000, '400 d'],
])('an instant %i ms ago has the age %s', (agoMs, age) => {
  const now = Date.parse(at)
  expect(formatAge(new Date(now - agoMs).toISOString(), now)).toBe(age)
})

test.each([
  ['an escape sequence', 'a\x1b[2Jb\x9b31m', 'a\\x1b[2Jb\\x9b31m'],
  ['line breaks', 'a\r\nb\u2028c', 'a\\x0d\\x0ab\\u{2028}c'],
  ['a direction of text', 'a\u202eb\u2066c', 'a\\u{202e}b\\u{2066}c'],
  ['invisible characters', 'a\u200bb\ufeffc\u{e0041}', 'a\\u{200b}b\\u{feff}c\\u{e0041}'],
  ['half of a character', 'a\ud800b', 'a\\u{d800}b'],
])('a cell makes %s harmless', (_what, text, shown) => {
  const [, line] = wideLines([text], [{ title: 'text', cell: (one: string) => one }])
  expect([line, printable(text)]).toEqual([shown, shown])
})

test('JSON is escaped too, with the same value for a program', () => {
  const value = { 'na\u009bme': 'a\x1b[2J\u202e\u{e0041} é' }
  const written: string[] = []
  const spy = jest.spyOn(process.stdout, 'write').mockImplementation((chunk) => written.push(String(chunk)) > 0)
  printJson(value)
  spy.mockRestore()
  expect(written.join('')).toMatch(/^[\P{Cc}\n]+$/u)
  expect(written.join('')).not.toMatch(/[\u202e\u{e0041}]/u)
  expect(JSON.parse(written.join(''))).toEqual(value)
})

test('a narrow list of dead letters shows the status code of the last response', () => {
  const given = { ...letter, last_error: 'status: responded with 503', tenant_id: id }
  const [, line] = narrowLines(
    [given],
    letterColumns([{ title: 'tenant', cell: () => 'A tenant with a long name' }]),
    80,
  )
  expect(line).toMatch(/ HTTP 503$/)
  expect(wideLines([given], letterColumns([]))[1]).toMatch(/ status: responded with 503$/)
})
