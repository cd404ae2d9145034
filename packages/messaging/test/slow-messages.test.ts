/** @slow It measures slow functions with every hostile text. */
import { randomUUID } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { expect, test } from '@jest/globals'
import { decodeAuditLines } from '@payments/contracts/edges/audit-line'
import { contracts } from '@payments/contracts/edges/contracts'
import { eventPatterns } from '@payments/contracts/edges/event-patterns'
import { signedMessage, testEventVerifyKeys } from '@payments/testing/broker/signed-events'
import type { ZodSchema } from '@payments/testing/generators/arbitrary'
import { hostileTexts, largestValues } from '@payments/testing/generators/hostile-text'
import { slowWorks } from '@payments/testing/runner/held-time'
import { Registry } from 'prom-client'
import { eventReader } from '../src/consume/event-reader.ts'
import { EventRejected, encodeEvent, payloadBytesMax } from '../src/outbox/outbox.ts'
import { presentQuarantined } from '../src/quarantine/quarantined-message.ts'

const [consumer = ''] = Object.keys(eventPatterns)
const read = eventReader(consumer, testEventVerifyKeys, new Registry())

const events = contracts.flatMap((contract) => {
  const definitions = { ...contract.events, ...contract.internalEvents }
  return Object.entries(definitions).map(([type, definition]) => [type, definitions, definition] as const)
})

test.each(events)('%s is written and read without holding the event loop for long', async (type, definitions, one) => {
  const businessUnitId = one.scope === 'business_unit' ? randomUUID() : null
  // The payload has the value twice.
  const values = largestValues(one.payload as ZodSchema, payloadBytesMax / 2)
  const works = values.map(([what, value]): [string, () => Promise<void>] => [
    what,
    async () => {
      const payload = { ...(value as object), unknown: value }
      try {
        encodeEvent(definitions, { type, businessUnitId, payload })
      } catch (error) {
        expect(error).toBeInstanceOf(EventRejected)
      }
      const [id, trace_id] = [randomUUID(), randomUUID()]
      const [tenant_id, occurred_at] = [randomUUID(), new Date().toISOString()]
      const event = { id, type, tenant_id, business_unit_id: businessUnitId, trace_id, occurred_at, payload }
      const { body, headers } = signedMessage(event)
      expect(read(body, { headers }).id).toBe(id)
      presentQuarantined({ messageId: id, body, headers } as never)
    },
  ])
  expect(await slowWorks(works)).toEqual([])
})

const messageBytes = 128 * 1024

test('no message that cannot be read holds the event loop for long', async () => {
  const values = ['[]', '{}', '0'].map((item) => [item, `[${`${item},`.repeat(40_000)}0]`] as const)
  const works = [...hostileTexts(messageBytes / 4), ...values].flatMap(([what, text]) => {
    const json = JSON.stringify({ id: text, type: text, [text.slice(0, 1_000)]: text })
    return [text, json].map((written): [string, () => Promise<void>] => [
      what,
      async () => {
        const body = Buffer.from(written)
        expect(() => read(body, { headers: { 'trace-id': text, 'event-producer': text } })).toThrow()
        presentQuarantined({ messageId: text, body, headers: { 'x-quarantine-at': text } } as never)
      },
    ])
  })
  expect(await slowWorks(works)).toEqual([])
})

test('no audit message holds the event loop for long', async () => {
  const encodeLine = (json: string) => `${crc32(json).toString(16).padStart(8, '0')} ${json}\n`
  const works = [...hostileTexts(messageBytes / 4), ['empty lines', '\n'.repeat(messageBytes)] as const].flatMap(
    ([what, text]) => {
      const record = JSON.stringify({ id: text, path: text, user_agent: text })
      return [text, encodeLine(record)].map((written): [string, () => Promise<void>] => [
        what,
        async () => expect(decodeAuditLines(Buffer.from(written)).records).toEqual([]),
      ])
    },
  )
  expect(await slowWorks(works)).toEqual([])
})
