import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { auditMessageBytesMax } from '@payments/contracts/edges/audit-line'
import { pino } from 'pino'
import type { Segment } from '../src/audit/segment.ts'
import { type ShipperOptions, startShipper } from '../src/audit/shipper.ts'
import { until } from './world.ts'

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'shipper-'))
})
afterAll(() => rmSync(directory, { recursive: true }))

const linesCount = 20_000

function createSegment(name: string): Segment {
  const path = join(directory, name)
  writeFileSync(path, Array.from({ length: linesCount }, (_, i) => `${String(i).padStart(99, '0')}\n`).join(''))
  return { path, written: statSync(path).size, shipped: 0, isOpen: false }
}

/** A broker whose messages the test confirms. */
function controlledBroker() {
  const sent: { body: Buffer; confirm: () => void; fail: () => void }[] = []
  const publish: ShipperOptions['publish'] = ({ body }) =>
    new Promise<void>((resolve, reject) => {
      sent.push({ body, confirm: resolve, fail: () => reject(new Error('not confirmed')) })
    })
  return { sent, publish }
}

const start = (segments: Segment[], publish: ShipperOptions['publish'], log = pino({ level: 'silent' })) =>
  startShipper({ segments, publish, log, onFailure: () => {}, onTorn: () => {} })

const countBytes = (messages: readonly { body: Buffer }[]) => messages.reduce((sum, { body }) => sum + body.length, 0)
/** Two ranges of 512 KiB, without the line at the end of each that does not fit. */
const isWindowFull = (messages: readonly { body: Buffer }[]) => countBytes(messages) > 1024 * 1024 - 200

test('publishes at most two ranges, of 1 MiB, before the first is confirmed', async () => {
  const segment = createSegment('window')
  const { sent, publish } = controlledBroker()
  const shipper = start([segment], publish)
  await until(() => (isWindowFull(sent) ? true : undefined))
  expect(countBytes(sent)).toBeLessThanOrEqual(1024 * 1024)
  expect(sent.filter(({ body }) => body.length > auditMessageBytesMax)).toEqual([])
  expect(segment.shipped).toBe(0)
  for (const { confirm } of sent.splice(0)) confirm()
  await until(() => (segment.shipped > 0 ? true : undefined))
  await until(() => {
    for (const { confirm } of sent.splice(0)) confirm()
    return existsSync(segment.path) ? undefined : true
  })
  await shipper.stop()
})

test('publishes again from the first range with an unconfirmed message, and deletes no segment before', async () => {
  const segment = createSegment('failure')
  const { sent, publish } = controlledBroker()
  const shipper = start([segment], publish)
  const confirmed: Buffer[] = []
  const settle = () => {
    for (const { body, confirm } of sent.splice(0)) {
      confirmed.push(body)
      confirm()
    }
  }
  await until(() => (isWindowFull(sent) ? true : undefined))
  const [first, second] = [sent.splice(0, sent.length / 2), sent.splice(0)]
  for (const { body, confirm } of first) {
    confirmed.push(body)
    confirm()
  }
  const [failing, ...others] = second
  for (const { confirm } of others) confirm()
  failing?.fail()
  await until(() => (sent.length > 0 ? true : undefined))
  expect(sent[0]?.body).toEqual(failing?.body)
  expect(segment.shipped).toBe(countBytes(first))
  expect(existsSync(segment.path)).toBe(true)
  await until(() => {
    settle()
    return existsSync(segment.path) ? undefined : true
  })
  const lines = Buffer.concat(confirmed).toString().trimEnd().split('\n')
  expect(lines).toEqual(Array.from({ length: linesCount }, (_, i) => String(i).padStart(99, '0')))
  await shipper.stop()
})

test('ships a segment that is added while it looks for one', async () => {
  const segments: Segment[] = []
  const { sent, publish } = controlledBroker()
  const shipper = start(segments, publish)
  segments.push({ ...createSegment('added'), written: 100 })
  shipper.notify()
  await expect(until(() => (sent.length === 1 ? true : undefined))).resolves.toBe(true)
  sent[0]?.confirm()
  await shipper.stop()
})

test('gathers few records longer than many', async () => {
  const segment: Segment = { ...createSegment('few'), written: 100, isOpen: true }
  const { sent, publish } = controlledBroker()
  const shipper = start([segment], publish)
  await until(() => (sent.length === 1 ? true : undefined))
  for (const { confirm } of sent.splice(0)) confirm()
  await until(() => (segment.shipped === 100 ? true : undefined))
  segment.written = 200
  shipper.notify()
  // After the shorter time, before the longer one: its timer starts when the timer of the shorter one has ended.
  await delay(300)
  segment.written = 300
  await until(() => (sent.length === 1 ? true : undefined))
  expect(sent[0]?.body).toHaveLength(200)
  sent.pop()?.confirm()
  await until(() => (segment.shipped === 300 ? true : undefined))
  segment.written = 20_300
  shipper.notify()
  await delay(300)
  segment.written = 20_400
  await until(() => (sent.length === 1 ? true : undefined))
  expect(sent[0]?.body).toHaveLength(20_000)
  sent[0]?.confirm()
  await shipper.stop()
})

test('waits longer after each failure', async () => {
  const segment: Segment = { ...createSegment('backoff'), written: 100 }
  let attempts = 0
  const shipper = start([segment], async () => {
    attempts += 1
    throw new Error('not confirmed')
  })
  // At 0, 0.2, 0.6 and 1.4 s.
  await delay(2_500)
  expect(attempts).toBeGreaterThanOrEqual(1)
  expect(attempts).toBeLessThanOrEqual(4)
  await shipper.stop()
})

test('reports how many bytes remain when it stops during an outage of the broker', async () => {
  const lines: string[] = []
  const segment: Segment = { ...createSegment('outage'), written: 300, shipped: 100 }
  const log = pino({}, { write: (line: string) => void lines.push(line) })
  const shipper = start([segment], () => Promise.reject(new Error('not confirmed')), log)
  await shipper.stop()
  expect(lines.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ bytes: 200, msg: 'unshipped audit records remain for the next start' }),
  )
})
