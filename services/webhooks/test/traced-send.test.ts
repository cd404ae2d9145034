import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { inSpan, type tracing as Tracing, tracing } from '@payments/chassis/observability/trace'
import { recordedSpans } from '@payments/testing/peers/recorded-spans'
import { tracedSend } from '../src/dispatch/traced-send.ts'

type Parameter<N extends number> = Parameters<typeof tracedSend>[N]

test('what an attempt needs, such as an access token, is in a span below that of the attempt', async () => {
  const fetchToken = () => inSpan('fetch access token', { kind: 'client', attributes: {} }, async () => {})
  const send = (async () => {
    await fetchToken()
    return { statusCode: 200, errorKind: null }
  }) as unknown as Parameter<1>
  const work = { id: randomUUID(), tenantId: randomUUID(), subscriptionId: randomUUID(), attemptCount: 1 }
  const claimed = { traceId: randomUUID(), traceparent: null, destinationUrl: 'https://example.com/hook' }
  const spans = await recordedSpans(async () => {
    const on = tracing as NonNullable<typeof Tracing>
    await tracedSend(on, send, work as Parameter<2>, claimed as Parameter<3>)({} as never, null)
  })
  const attempt = spans.find(({ name }) => name === 'POST')
  expect(attempt).toBeDefined()
  expect(spans.find(({ name }) => name === 'fetch access token')?.parentSpanId).toBe(attempt?.spanId)
})
