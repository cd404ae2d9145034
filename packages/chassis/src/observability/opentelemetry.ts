import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Attributes as ApiAttributes,
  type Span as ApiSpan,
  type Context,
  DiagLogLevel,
  diag,
  isValidTraceId,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  RandomIdGenerator,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { formatTraceparent, parseTraceparent, traceIdOfUuid } from '@payments/contracts/grammar/traceparent'
import { within } from '../base/deadline.ts'
import type { Log } from './log.ts'
import type { Attributes, Span, Tracing } from './span.ts'

const exportTimeoutMs = 5_000
const closeTimeoutMs = 2_000
const exportDelayMs = 1_000
const queuedSpansMax = 2_048
const attributeCharactersMax = 1_024

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const

/**
 * `Tracing` with the OpenTelemetry SDK. Sends spans to `endpoint` by OTLP over HTTP. Its only global is the logger of
 * the SDK.
 */
export function openTelemetry(
  service: string,
  { endpoint, ratio }: { readonly endpoint: string; readonly ratio: number },
  log: Log,
): { readonly tracing: Tracing; readonly close: () => Promise<void> } {
  reportProblems(log)
  const random = new RandomIdGenerator()
  // Within `startSpan`, the SDK generates the trace id of a span without a parent.
  let rootTraceId = ''
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: exportTimeoutMs })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.namespace': 'payments' }),
    // Each process decides by the trace id, so all decide alike. The flag of a client decides nothing.
    sampler: new TraceIdRatioBasedSampler(ratio),
    idGenerator: { generateSpanId: random.generateSpanId, generateTraceId: () => rootTraceId },
    spanLimits: { attributeValueLengthLimit: attributeCharactersMax },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: queuedSpansMax,
        scheduledDelayMillis: exportDelayMs,
        exportTimeoutMillis: exportTimeoutMs,
      }),
    ],
  })
  const tracer = provider.getTracer('payments')
  const activeSpan = new AsyncLocalStorage<Span>()
  return {
    tracing: {
      start: (name, { kind, traceId, parent, attributes, link }) => {
        const ownRoot = traceId === undefined ? '' : traceIdOfUuid(traceId)
        rootTraceId = isValidTraceId(ownRoot) ? ownRoot : random.generateTraceId()
        const linked = link === undefined ? undefined : parseContext(link)
        const options = {
          kind: kinds[kind],
          attributes: withoutUndefined(attributes),
          ...(linked === undefined ? {} : { links: [{ context: linked }] }),
        }
        return toSpan(tracer.startSpan(name, options, parentContext(parent)))
      },
      run: (span, work) => activeSpan.run(span, work),
      active: () => activeSpan.getStore(),
    },
    close: async () => {
      try {
        await within(closeTimeoutMs, 'sending the remaining spans', provider.shutdown())
      } catch (err) {
        // Spans are no record of truth: the process ends without them.
        log.warn({ err }, 'the remaining spans were not sent')
      }
      diag.disable()
    },
  }
}

function toSpan(span: ApiSpan): Span {
  const { traceId, spanId } = span.spanContext()
  return {
    traceparent: formatTraceparent({ traceId, spanId, isSampled: true }),
    end: (attributes = {}, errorType) => {
      span.setAttributes(withoutUndefined({ ...attributes, 'error.type': errorType }))
      if (errorType !== undefined) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    },
  }
}

function parentContext(parent: string | null | undefined): Context {
  const context = typeof parent === 'string' ? parseContext(parent) : undefined
  return context === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, context)
}

function parseContext(traceparent: string): SpanContext | undefined {
  const parsed = parseTraceparent(traceparent)
  if (parsed === undefined) return undefined
  return { traceId: parsed.traceId, spanId: parsed.spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true }
}

function withoutUndefined(attributes: Attributes): ApiAttributes {
  return Object.fromEntries(
    Object.entries(attributes).filter(([, value]) => value !== undefined && value !== null),
  ) as ApiAttributes
}

/** Failed exports and dropped spans, which the SDK reports at most once per export. */
function reportProblems(log: Log): void {
  const report = (message: string) => log.warn({ reason: message.slice(0, 500) }, 'spans were not exported')
  const ignore = () => {}
  const logger = { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore }
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
}
