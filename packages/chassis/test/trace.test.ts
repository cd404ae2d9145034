import { randomUUID } from 'node:crypto'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { parseTraceparent, traceIdOfUuid } from '@payments/contracts/grammar/traceparent'
import { pino } from 'pino'
import type { Span } from '../src/observability/span.ts'
import { activeTraceparent, inSpan, startTracing, type TraceConfig, tracing } from '../src/observability/trace.ts'

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

const parseIds = (span: Span) => parseTraceparent(span.traceparent)

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
  expect(parseIds(root)).toMatchObject({ traceId: traceIdOfUuid(traceId), isSampled: true })
  expect(parseIds(child)).toMatchObject({ traceId: traceIdOfUuid(traceId) })
  expect(tracing?.run(child, activeTraceparent)).toBe(child.traceparent)
  expect(activeTraceparent()).toBeNull()
  child.end({ 'http.response.status_code': 503, 'payments.tenant.id': null }, '503')
  root.end()
  await stop()
  expect(tracing).toBeUndefined()
  const [{ scopeSpans }] = JSON.parse(bodies.join('')).resourceSpans
  expect(scopeSpans[0].spans).toMatchObject([
    {
      spanId: parseIds(child)?.spanId,
      parentSpanId: parseIds(root)?.spanId,
      status: { code: 2 },
      attributes: [
        { key: 'http.response.status_code', value: { intValue: 503 } },
        { key: 'error.type', value: { stringValue: '503' } },
      ],
    },
    { spanId: parseIds(root)?.spanId, status: { code: 0 } },
  ])
})

/** The spans that a process with `config` sends while it runs `work`. */
async function recordSpans(config: TraceConfig, work: () => Promise<unknown>) {
  const bodies: string[] = []
  const endpoint = await startCollector((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString('utf8')
    })
    request.on('end', () => {
      bodies.push(body)
      response.end('{}')
    })
  })
  const stop = await startTracing('chassis', { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...config }, log)
  await work()
  await stop()
  collector?.close()
  return bodies.flatMap((body) => JSON.parse(body).resourceSpans[0].scopeSpans[0].spans)
}

test('inSpan records a child of the active span, with what the work adds and the class of its failure', async () => {
  const traceId = randomUUID()
  let root: Span | undefined
  const [child, failed, outer] = await recordSpans({}, async () => {
    const own = start(traceId)
    root = own
    const run = () =>
      inSpan('read', { kind: 'client', attributes: { a: 1 } }, async (add) => {
        add({ b: true })
        return activeTraceparent()
      })
    expect(await tracing?.run(own, run)).not.toBe(own.traceparent)
    const failing = () =>
      inSpan('write', { kind: 'client', attributes: {} }, () => Promise.reject(new TypeError('4111')))
    await expect(tracing?.run(own, failing)).rejects.toThrow('4111')
    own.end()
  })
  const parentSpanId = root === undefined ? '' : parseIds(root)?.spanId
  const listKeys = ({ attributes }: { attributes: { key: string }[] }) => attributes.map(({ key }) => key)
  expect(child).toMatchObject({ name: 'read', parentSpanId, status: { code: 0 } })
  expect(listKeys(child)).toEqual(['a', 'b'])
  expect(failed).toMatchObject({
    name: 'write',
    parentSpanId,
    status: { code: 2 },
    attributes: [{ key: 'error.type', value: { stringValue: 'TypeError' } }],
  })
  expect(outer).toMatchObject({ name: 'work' })
})

test('inSpan without an active span records a span only of work that names its trace', async () => {
  const traceId = randomUUID()
  const spans = await recordSpans({}, async () => {
    expect(await inSpan('job', { kind: 'internal', attributes: {} }, async () => 'done')).toBe('done')
    await inSpan('send', { kind: 'client', traceId, attributes: {} }, async () => {})
  })
  expect(spans).toMatchObject([{ name: 'send', traceId: traceIdOfUuid(traceId) }])
})

test('traceidratio records the same share of traces in every process, whatever the parent', async () => {
  const traceIds = Array.from({ length: 400 }, () => randomUUID())
  const config = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: 0.25 } as const
  const sampleTraces = async (buildParent: (traceId: string) => string | undefined) => {
    const spans = await recordSpans(config, async () => {
      for (const traceId of traceIds) start(traceId, buildParent(traceId)).end()
    })
    return new Set(spans.map((span: { traceId: string }) => span.traceId))
  }
  const sampled = await sampleTraces(() => undefined)
  expect(sampled.size).toBeGreaterThan(50)
  expect(sampled.size).toBeLessThan(150)
  expect(await sampleTraces((traceId) => `00-${traceIdOfUuid(traceId)}-00000000000000ff-01`)).toEqual(sampled)
})

test('always_off loads nothing and records nothing', async () => {
  const spans = await recordSpans({ OTEL_TRACES_SAMPLER: 'always_off' }, async () => expect(tracing).toBeUndefined())
  expect(spans).toEqual([])
})

test('a Trace-ID of zeros and an invalid parent start a valid trace', async () => {
  const endpoint = await startCollector((_request, response) => response.end('{}'))
  const stop = await startTracing('chassis', { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, log)
  expect(parseIds(start('00000000-0000-0000-0000-000000000000'))).toBeDefined()
  const traceId = randomUUID()
  expect(parseIds(start(traceId, 'unreadable'))).toMatchObject({ traceId: traceIdOfUuid(traceId) })
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
