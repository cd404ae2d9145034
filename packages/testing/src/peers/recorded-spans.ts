import { createLog } from '@payments/chassis/observability/log'
import { startTracing, tracing } from '@payments/chassis/observability/trace'
import { receiver } from './receiver.ts'

export interface RecordedSpan {
  readonly name: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly attributes: Readonly<Record<string, unknown>>
}

/** The spans that a process with a collector records while it runs `work` in the span `root`. */
export async function recordedSpans(work: () => Promise<unknown>): Promise<RecordedSpan[]> {
  const collector = await receiver()
  const log = createLog('test', 'fatal')
  const stop = await startTracing('test', { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, log)
  const root = tracing?.start('root', { kind: 'internal', attributes: {} })
  if (tracing === undefined || root === undefined) throw new Error('tracing is off')
  try {
    await tracing.run(root, work)
  } finally {
    root.end()
    await stop()
    await collector.close()
  }
  return collector.received.flatMap(({ body }) => spansIn(JSON.parse(body.toString('utf8'))))
}

interface Export {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly ExportedSpan[] }[] }[]
}

type ExportedSpan = Omit<RecordedSpan, 'attributes'> & {
  readonly attributes: readonly { readonly key: string; readonly value: object }[]
}

function spansIn({ resourceSpans }: Export): RecordedSpan[] {
  const spans = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
  return spans.map(({ attributes, ...span }) => ({
    ...span,
    attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
  }))
}
