import { randomUUID } from 'node:crypto'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { parseTraceparent, traceIdOfUuid } from '@payments/contracts/traceparent'
import { pino } from 'pino'
import type { Span } from '../src/span.ts'
import { activeTraceparent, startTracing, tracing } from '../src/trace.ts'

let collector: Server | undefined
const lines: { msg: string }[] = []
const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) })

afterEach(() => {
  collector?.close()
})

/** A collector that handles each export with `listener`. Returns its URL. */
async function startCollector(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  collector = server
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function start(traceId: string, parent?: string): Span {
  const span = tracing?.start('work', { kind: 'internal', traceId, parent, attributes: {} })
  if (span === undefined) throw new Error('tracing is off')
  return span
}

const idsOf = (span: Span) => parseTraceparent(span.traceparent)

test('is off without an endpoint: no span, no traceparent', async () => {
  const stop = await startTracing('chassis', {}, log)
  expect(tracing).toBeUndefined()
  expect(activeTraceparent()).toBeNull()
  await stop()
})

test('sends the spans that have ended when it stops, and is off afterwards', async () => {
  const bodies: string[] = []
  const endpoint = await startCollector((request, response) => {
    request.on('data', (chunk: Buffer) => bodies.push(chunk.toString('utf8'))).on('end', () => response.end('{}'))
  })
  const stop = await startTracing('chassis', { OTEL_EXPORTER_OTLP_ENDPOINT: `${endpoint}/` }, log)
  const traceId = randomUUID()
  const root = start(traceId)
  const child = start(randomUUID(), root.traceparent)
  expect(idsOf(root)).toMatchObject({ traceId: traceIdOfUuid(traceId), isSampled: true })
  expect(idsOf(child)).toMatchObject({ traceId: traceIdOfUuid(traceId) })
  expect(tracing?.run(child, activeTraceparent)).toBe(child.traceparent)
  expect(activeTraceparent()).toBeNull()
  child.end({ 'http.response.status_code': 503, 'payments.tenant.id': null }, '503')
  root.end()
  await stop()
  expect(tracing).toBeUndefined()
  const [{ scopeSpans }] = JSON.parse(bodies.join('')).resourceSpans
  expect(scopeSpans[0].spans).toMatchObject([
    {
      spanId: idsOf(child)?.spanId,
      parentSpanId: idsOf(root)?.spanId,
      status: { code: 2 },
      attributes: [
        { key: 'http.response.status_code', value: { intValue: 503 } },
        { key: 'error.type', value: { stringValue: '503' } },
      ],
    },
    { spanId: idsOf(root)?.spanId, status: { code: 0 } },
  ])
})

test('a Trace-ID of zeros and an invalid parent start a valid trace', async () => {
  const endpoint = await startCollector((_request, response) => response.end('{}'))
  const stop = await startTracing('chassis', { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, log)
  expect(idsOf(start('00000000-0000-0000-0000-000000000000'))).toBeDefined()
  const traceId = randomUUID()
  expect(idsOf(start(traceId, 'unreadable'))).toMatchObject({ traceId: traceIdOfUuid(traceId) })
  await stop()
})

test('stops within its limit, with a warning, while the collector does not respond', async () => {
  const waiting: ServerResponse[] = []
  const endpoint = await startCollector((_request, response) => void waiting.push(response))
  const stop = await startTracing('chassis', { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, log)
  start(randomUUID()).end()
  await stop()
  expect(lines.map(({ msg }) => msg)).toEqual(['the remaining spans were not sent'])
  for (const response of waiting) response.writeHead(400).end()
})
