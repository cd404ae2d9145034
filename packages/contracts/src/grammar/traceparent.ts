/**
 * A position in a trace, as the header `traceparent` has it (W3C Trace Context). Ids are lower-case hexadecimal digits,
 * 32 and 16 of them.
 */
export interface TraceContext {
  readonly traceId: string
  readonly spanId: string
  /** Whether the caller may have recorded the trace. */
  readonly isSampled: boolean
}

const traceparentPattern = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/**
 * Reads a `traceparent` by https://www.w3.org/TR/trace-context/#traceparent-header. Undefined if it is invalid: then
 * the recommendation starts a new trace. A later version may append fields, which are ignored.
 */
export function parseTraceparent(value: string): TraceContext | undefined {
  const [, version, traceId, spanId, flags = '', more] = traceparentPattern.exec(value) ?? []
  if (traceId === undefined || spanId === undefined || (version === '00' && more !== undefined)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** Writes version 00. */
export function formatTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
}

/** The W3C trace id of a Trace-ID. */
export function traceIdOfUuid(uuid: string): string {
  return uuid.replaceAll('-', '').toLowerCase()
}

/**
 * The header, if it is one valid `traceparent` in the trace of `uuid`. The signed assertion names the trace of a
 * request, so an unsigned header may only add the parent within that trace.
 */
export function parentInTrace(header: string | string[] | undefined, uuid: string): string | undefined {
  if (typeof header !== 'string') return undefined
  return parseTraceparent(header)?.traceId === traceIdOfUuid(uuid) ? header : undefined
}
