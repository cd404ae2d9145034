/** One trace per request, over separate processes and OTLP. @slow It starts its own platform. */
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { parseTraceparent, traceIdOfUuid } from '@payments/contracts/grammar/traceparent'
import { type Received, type Receiver, receiver } from '@payments/testing/peers/receiver'
import { startTestStack, type TestStack } from '@payments/testing/platform/local-stack'
import { findRoots, listAncestors, listServices, type Span, spansIn } from './spans.ts'
import { type Call, createCaller, type Onboarded, onboard } from './tenant.ts'

let platform: TestStack
let collector: Receiver
let destination: Receiver
let acme: Onboarded
let call: Call
let subscriptionId: string

beforeAll(async () => {
  ;[collector, destination] = await Promise.all([receiver(), receiver()])
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, WEBHOOKS_RETRY_SCHEDULE: '0s,200ms,400ms' }
  platform = await startTestStack({ env })
  acme = await onboard(platform, 'Acme')
  call = createCaller(platform, acme.api_key.value, acme.tenant_id)
  const created = await call('POST', `/v1/webhooks/${acme.business_unit_id}/webhooks`, {
    destination_url: `${destination.url}/hook?token=hidden-in-the-query`,
    event_types: ['payment-proxy.transactions.capture'],
  })
  subscriptionId = created.body.id
}, 120_000)

afterAll(async () => {
  await platform?.stop()
  await Promise.all([collector?.close(), destination?.close()])
}, 120_000)

test('the spans of one capture form one tree, from the gateway to each delivery attempt', async () => {
  const [traceId, clientSpan] = [randomUUID(), randomBytes(8).toString('hex')]
  const transaction = await authorize()
  destination.respondWith(() => ({ status: destination.received.length === 1 ? 500 : 200 }))
  const captured = await call(
    'POST',
    `/v1/payment-proxy/transactions/${transaction}/capture`,
    {},
    {
      'trace-id': traceId,
      traceparent: `00-${traceIdOfUuid(traceId)}-${clientSpan}-00`,
    },
  )
  expect(captured.body.status).toBe('captured')
  await destination.waitFor(() => true, { count: 2 })

  const spans = await spansWith(2, traceId)
  const byId = new Map(spans.map((span) => [span.spanId, span]))
  const capture = 'POST /v1/payment-proxy/transactions/{transaction_id}/capture'
  for (const attempt of spans.filter(isAttempt)) {
    expect(listAncestors(attempt, byId, platform.messagingPrefix)).toEqual([
      'webhooks-dispatcher: POST',
      'webhooks-dispatcher: fan-out',
      'webhooks-dispatcher: process webhooks.events',
      'payment-proxy: send domain-events',
      `payment-proxy: ${capture}`,
      `gateway: ${capture}`,
      `gateway: ${capture}`,
    ])
  }
  expect(findRoots(spans)).toEqual([expect.objectContaining({ service: 'gateway', parentSpanId: clientSpan })])
  const results = spans
    .filter(isAttempt)
    .map(({ attributes: own }) => [
      own['http.request.resend_count'],
      own['http.response.status_code'],
      own['error.type'],
    ])
  expect(results.sort(([one], [other]) => Number(one) - Number(other))).toEqual([
    [0, 500, 'status'],
    [1, 200, undefined],
  ])
})

test('a trace shows the transactions of a payment and its request to the provider', async () => {
  const traceId = randomUUID()
  await authorize({ 'trace-id': traceId })
  const steps = await eventually(async () => {
    const spans = findSpans(traceId)
    const server = spans.find(
      ({ name, service, kind }) => service === 'payment-proxy' && kind === 2 && name.startsWith('POST '),
    )
    const children = spans.filter(({ parentSpanId }) => parentSpanId === server?.spanId)
    const ended = children.filter(({ name }) => name === 'transaction' || name === 'provider authorize')
    return ended.length >= 3 ? children : undefined
  })
  const ordered = [...steps].sort((one, other) =>
    BigInt(one.startTimeUnixNano) < BigInt(other.startTimeUnixNano) ? -1 : 1,
  )
  const names = ordered.map(({ name }) => name).filter((name) => !name.startsWith('send '))
  expect(names.slice(names.indexOf('provider authorize') - 1)).toEqual([
    'transaction',
    'provider authorize',
    'transaction',
  ])
  const findAttributes = (name: string) => steps.find((span) => span.name === name)?.attributes
  expect(findAttributes('provider authorize')).toEqual({
    'payments.connector': 'sandbox',
    'payments.outcome': 'succeeded',
  })
  expect(findAttributes('transaction')).toEqual({
    'db.system.name': 'postgresql',
    'payments.transaction.wait_ms': expect.any(Number),
  })
})

test('a trace shows the version reads for which its request waited', async () => {
  const traceIds: string[] = []
  const findWaits = (traceId: string) => findSpans(traceId).filter(({ name }) => name === 'wait for version read')
  // Between two of these calls the leases expire.
  const waits = await eventually(async () => {
    const traceId = randomUUID()
    traceIds.push(traceId)
    await call('GET', '/v1/api-key/keys/self', undefined, { 'trace-id': traceId })
    return traceIds.map(findWaits).find(({ length }) => length === 2)
  })
  expect(new Set(waits.map(({ attributes }) => attributes['peer.service']))).toEqual(new Set(['api-key', 'rbac']))
})

test('a message is sent in the trace of the request that queued it', async () => {
  const traceId = randomUUID()
  await invite(traceId)
  expect(await sentIn(traceId)).toMatchObject({
    service: 'communication',
    attributes: { 'payments.message.provider': 'outbox', 'payments.outcome': 'accepted' },
  })
})

test('a call from service to service belongs to the trace of its request', async () => {
  const traceId = randomUUID()
  const roleIds = acme.roles.filter(({ name }) => name === 'viewer').map(({ id }) => id)
  const { body } = await call('POST', '/v1/api-key/keys', { name: 'Reader' })
  const path = `/v1/api-key/keys/${body.id}/roles`
  expect((await call('PUT', path, { role_ids: roleIds }, { 'trace-id': traceId })).status).toBe(200)
  // The gateway calls rbac too, to authorize the request.
  const paths = await eventually(async () => {
    const spans = findSpans(traceId)
    const byId = new Map(spans.map((span) => [span.spanId, span]))
    const found = spans.filter(({ service }) => service === 'rbac').map((span) => listServices(span, byId))
    return found.some((path) => path.includes('api-key') && path.includes('gateway')) ? found : undefined
  })
  expect(paths).toContainEqual(['rbac', 'api-key', 'api-key', 'gateway', 'gateway'])
})

test('the receiver continues the trace of the delivery, to which the spans of the attempts link', async () => {
  const before = destination.received.length
  destination.respondWith(() => ({ status: 200 }))
  const { traceId } = await capture()
  const received = (await destination.waitFor(() => true, { count: before + 1 })).at(-1) as Received
  const { trace_id: deliveryTraceId } = JSON.parse(received.body.toString('utf8'))
  expect(received.headers['trace-id']).toBe(deliveryTraceId)
  const sent = parseTraceparent(String(received.headers['traceparent']))
  expect(sent).toMatchObject({ traceId: traceIdOfUuid(deliveryTraceId), isSampled: true })
  expect(deliveryTraceId).not.toBe(traceId)
  const spans = await spansWith(1, traceId)
  expect(spans.find(isAttempt)?.links).toEqual([{ traceId: sent?.traceId, spanId: sent?.spanId }])
})

test('a request finds its events and deliveries by its Trace-ID', async () => {
  const unit = acme.business_unit_id
  const { traceId } = await capture()
  const events = await eventually(async () => {
    const { body } = await call('GET', `/v1/webhooks/${unit}/events?trace_id=${traceId}`)
    return body.data.length > 0 ? body.data : undefined
  })
  expect(events).toMatchObject([{ event_type: 'payment-proxy.transactions.capture', source_trace_id: traceId }])
  const explained = await call('GET', `/v1/webhooks/${unit}/events/${events[0].tenant_event_id}`)
  expect(explained.body.source_trace_id).toBe(traceId)
  const deliveries = await call('GET', `/v1/webhooks/${unit}/deliveries?subscription_id=${subscriptionId}`)
  expect(deliveries.body.data[0]).toMatchObject({
    tenant_event_id: events[0].tenant_event_id,
    source_trace_id: traceId,
  })
})

test('gateway and service log tenant, actor, route and path of a request, and no query', async () => {
  const traceId = randomUUID()
  const path = `/v1/payment-proxy/transactions/${await authorize()}`
  await call('GET', `${path}/operations?limit=7`, undefined, { 'trace-id': traceId })
  for (const name of ['gateway', 'payment-proxy'] as const) {
    const line = await eventually(async () =>
      readFileSync(platform.logFile(name), 'utf8')
        .split('\n')
        .find((text) => text.includes(traceId)),
    )
    expect(JSON.parse(line)).toMatchObject({
      msg: 'request',
      trace_id: traceId,
      tenant_id: acme.tenant_id,
      actor: `api_key:${acme.api_key.id}`,
      route: '/v1/payment-proxy/transactions/{transaction_id}/operations',
      path: `${path}/operations`,
    })
    expect(line).not.toContain('limit=7')
  }
})

test('no span contains a secret, a body, a path or a query', async () => {
  const { body } = await call('GET', `/v1/webhooks/${acme.business_unit_id}/webhooks/${subscriptionId}/reveal`)
  const transaction = await authorize()
  const { traceId } = await capture(transaction)
  await spansWith(1, traceId)
  const invitedIn = randomUUID()
  const code = String(new URL(await invite(invitedIn)).pathname.split('/').at(-1))
  await sentIn(invitedIn)
  const sent = collector.received.map((one) => one.body.toString('utf8')).join('\n')
  const forbidden = [acme.api_key.value, body.secret, 'tok_sandbox_visa', 'hidden-in-the-query', '/hook']
  forbidden.push(transaction, code, recipient)
  expect(forbidden.filter((text) => sent.includes(text))).toEqual([])
})

test('a process without OTEL_EXPORTER_OTLP_ENDPOINT loads neither the OpenTelemetry SDK nor its exporter', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'loaded-'))
  const loadedWith = async (endpoint: string): Promise<string[]> => {
    const file = join(directory, `on-${endpoint !== ''}.json`)
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, NODE_OPTIONS: `--import=${reporterProgram(file)}` }
    const dispatcher = await platform.addDispatcher(env)
    await dispatcher.stop()
    return JSON.parse(readFileSync(file, 'utf8'))
  }
  expect(await loadedWith('')).toEqual([])
  expect((await loadedWith(collector.url)).length).toBeGreaterThan(10)
  rmSync(directory, { recursive: true })
}, 60_000)

/**
 * A module that writes the loaded OpenTelemetry files into `file` when its process ends. Without the API, which
 * prom-client loads.
 */
function reporterProgram(file: string): string {
  const code = `
    import { writeFileSync } from 'node:fs'
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({
      load(url, context, next) {
        if (/@opentelemetry\\/(?!api\\/)/.test(url)) loaded.push(url)
        return next(url, context)
      },
    })
    process.on('exit', () => writeFileSync(${JSON.stringify(file)}, JSON.stringify(loaded)))`
  return `data:text/javascript,${encodeURIComponent(code)}`
}

async function authorize(headers: Record<string, string> = {}): Promise<string> {
  const payment_details = { payment_method: 'CREDIT_CARD', cc_token: 'tok_sandbox_visa' }
  const payment = { business_unit_id: acme.business_unit_id, currency: 'EUR', amount: 1999, payment_details }
  return (await call('POST', '/v1/payment-proxy/transactions/authorize', payment, headers)).body.id
}

/** Returns the link of an invitation to `recipient`, after its message was sent. */
async function invite(traceId: string): Promise<string> {
  const transaction = { business_unit_id: acme.business_unit_id, currency: 'EUR', amount: 1999 }
  const invitation = { transaction, communication_type: 'EMAIL', recipient }
  const { body } = await call('POST', '/v1/invite-to-pay/codes', invitation, { 'trace-id': traceId })
  return body.url
}

const recipient = 'ada@payer.example'
const sentIn = (traceId: string) => eventually(async () => findSpans(traceId).find(({ name }) => name === 'send EMAIL'))

async function capture(transaction?: string): Promise<{ traceId: string }> {
  const traceId = randomUUID()
  const path = `/v1/payment-proxy/transactions/${transaction ?? (await authorize())}/capture`
  expect((await call('POST', path, {}, { 'trace-id': traceId })).body.status).toBe('captured')
  return { traceId }
}

/** The spans of a trace, once they contain the attempts and every parent except the first span's. */
function spansWith(attemptCount: number, uuid: string): Promise<Span[]> {
  return eventually(async () => {
    const spans = findSpans(uuid)
    const isComplete = findRoots(spans).length === 1 && findRoots(spans)[0]?.service === 'gateway'
    return spans.filter(isAttempt).length === attemptCount && isComplete ? spans : undefined
  })
}

function findSpans(uuid: string): Span[] {
  return collector.received.flatMap(spansIn).filter(({ traceId }) => traceId === traceIdOfUuid(uuid))
}

const isAttempt = ({ name, service }: Span) => name === 'POST' && service === 'webhooks-dispatcher'

/** The first result, within 30 seconds. */
async function eventually<T>(find: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + 30_000
  for (;;) {
    const result = await find()
    if (result !== undefined) return result
    if (Date.now() > deadline) throw new Error(`not found within 30 s: ${find.toString()}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
