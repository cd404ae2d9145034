import type { Received } from '@payments/testing/peers/receiver'

/** A span as OTLP/JSON has it. */
export interface Span {
  readonly service: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  /** 2 of a server. */
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[]
}

export function findRoots(spans: readonly Span[]): Span[] {
  const ids = new Set(spans.map(({ spanId }) => spanId))
  return spans.filter(({ parentSpanId = '' }) => !ids.has(parentSpanId))
}

/** The spans of one request to a collector. */
export function spansIn({ body }: Received): Span[] {
  return JSON.parse(body.toString('utf8')).resourceSpans.flatMap(({ resource, scopeSpans }: any) =>
    scopeSpans.flatMap(({ spans }: any) =>
      spans.map(({ attributes, links = [], ...span }: any) => ({
        ...span,
        service: readValues(resource.attributes)['service.name'],
        attributes: readValues(attributes),
        links: links.map(({ traceId, spanId }: any) => ({ traceId, spanId })),
      })),
    ),
  )
}

/** `{ intValue: 1 }` → 1, and so on. */
function readValues(attributes: { key: string; value: object }[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}

/** The span and its ancestors, as `service: name`. Names without the prefix of this test's broker. */
export function listAncestors(span: Span, byId: ReadonlyMap<string, Span>, prefix: string): string[] {
  const named: string[] = []
  for (let next: Span | undefined = span; next !== undefined; next = byId.get(next.parentSpanId ?? '')) {
    named.push(`${next.service}: ${next.name.replace(`${prefix}.`, '')}`)
  }
  return named
}

export function listServices(span: Span, byId: ReadonlyMap<string, Span>): string[] {
  return listAncestors(span, byId, '').map((named) => named.slice(0, named.indexOf(':')))
}
