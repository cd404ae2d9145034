import type { Log } from './log.ts'
import type { Attributes, SpanOptions, Tracing } from './span.ts'

/**
 * **What it does.** Carries the trace of a request from process to process (W3C Trace Context), and records spans with
 * OpenTelemetry where a collector is configured. Off by default.
 *
 * **Guarantees.** While off, neither the SDK nor the exporter is loaded, and a span costs one branch. The trace id of a
 * request is its Trace-ID without dashes. At most 2 048 ended spans wait in memory; more are dropped. The collector
 * delays nothing.
 *
 * **Not guaranteed.** Spans of a killed process.
 *
 * Attributes follow the semantic conventions of OpenTelemetry. They contain no secrets, bodies, paths or queries.
 */
export let tracing: Tracing | undefined

/** The variables of config.ts. */
export interface TraceConfig {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined
  readonly OTEL_TRACES_SAMPLER?: 'always_on' | 'always_off' | 'traceidratio' | undefined
  readonly OTEL_TRACES_SAMPLER_ARG?: number | undefined
}

/** Starts tracing if an endpoint is configured. Returns a function that sends the remaining spans, within 2 s. */
export async function startTracing(service: string, config: TraceConfig, log: Log): Promise<() => Promise<void>> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER: sampler = 'always_on' } = config
  if (endpoint === undefined || sampler === 'always_off') return async () => {}
  const { openTelemetry } = await import('./opentelemetry.ts')
  const ratio = sampler === 'always_on' ? 1 : (config.OTEL_TRACES_SAMPLER_ARG ?? 1)
  const opened = openTelemetry(service, { endpoint, ratio }, log)
  tracing = opened.tracing
  return async () => {
    tracing = undefined
    await opened.close()
  }
}

/** The `traceparent` of the active span. Null without one. */
export function activeTraceparent(): string | null {
  return tracing?.active()?.traceparent ?? null
}

/**
 * Runs `work` in a span: a child of the active span, else a span of the trace `traceId`. Without either, as in most
 * jobs, and while tracing is off, `work` runs alone. `work` may add attributes. A throw ends the span as failed.
 */
export function inSpan<T>(
  name: string,
  { kind, traceId, attributes }: Pick<SpanOptions, 'kind' | 'traceId' | 'attributes'>,
  work: (add: (attributes: Attributes) => void) => Promise<T>,
): Promise<T> {
  const parent = tracing?.active()?.traceparent
  if (tracing === undefined || (parent === undefined && traceId === undefined)) return work(() => {})
  const span = tracing.start(name, { kind, traceId, parent, attributes })
  const added: Attributes[] = []
  const end = (errorType?: string) => span.end(Object.assign({}, ...added), errorType)
  return tracing.run(span, async () => {
    try {
      const result = await work((more) => void added.push(more))
      end()
      return result
    } catch (error) {
      end(readErrorType(error))
      throw error
    }
  })
}

/** The code of a problem or of a system error, else the class. Never the message, which may contain values. */
function readErrorType(error: unknown): string {
  const { code, name } = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'unknown'
}
