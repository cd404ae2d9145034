/** Records spans. A span belongs to one trace and has at most one parent. */
export interface Tracing {
  start(name: string, options: SpanOptions): Span
  /** Runs `work`, and what `work` starts, with `span` as the active span. */
  run<T>(span: Span, work: () => T): T
  active(): Span | undefined
}

export interface SpanOptions {
  readonly kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal'
  /** The Trace-ID of a span without a parent. Undefined: a new trace. */
  readonly traceId?: string | undefined
  /** The `traceparent` of the parent. A parent in another trace is valid: then the span belongs to that trace. */
  readonly parent?: string | null | undefined
  readonly attributes: Attributes
  /** The `traceparent` of a span of another trace. */
  readonly link?: string
}

/** An attribute without a value is left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>

export interface Span {
  /** The `traceparent` of the children of this span. */
  readonly traceparent: string
  /** Call it once. `errorType`: class of the failure, from a small set of names. Undefined: no failure. */
  end(attributes?: Attributes, errorType?: string): void
}
