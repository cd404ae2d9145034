import type { Log } from './log.ts'
import type { Tracing } from './span.ts'

/**
 * **What it does.** Carries the trace of a request from process to process (W3C Trace Context), and records spans with
 * OpenTelemetry where a collector is configured. Off by default.
 *
 * **Participants.** `tracing`, undefined while off; the callers, which write `tracing?.start(…)`; the implementation
 * (opentelemetry.ts), loaded by `startTracing` only; the collector, which samples.
 *
 * **Guarantees.** While off, neither the SDK nor the exporter is loaded, and a span costs one branch. The trace id of a
 * request is its Trace-ID without dashes. At most 2 048 ended spans wait in memory; more are dropped. A collector that
 * is slow or away delays nothing.
 *
 * **Not guaranteed.** Spans of a killed process, or beyond that number. Audit records are complete; traces are not.
 *
 * Attributes follow the semantic conventions of OpenTelemetry. They contain no secrets, bodies, paths or queries: a
 * route template, never the path of a request.
 */
export let tracing: Tracing | undefined

/** Starts tracing if an endpoint is configured. Returns a function that sends the remaining spans, within 2 s. */
export async function startTracing(
  service: string,
  { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }: { readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined },
  log: Log,
): Promise<() => Promise<void>> {
  if (endpoint === undefined) return async () => {}
  const { openTelemetry } = await import('./opentelemetry.ts')
  const opened = openTelemetry(service, endpoint, log)
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
