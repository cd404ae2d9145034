import type { Span, Tracing } from '@payments/chassis/observability/span'
import { parentInTrace } from '@payments/contracts/grammar/traceparent'
import type { Request, Response } from 'express'
import { type ForwardedCall, whenRequestEnds } from './forwarded-call.ts'
import type { CurrentContext, MatchedContext } from './request-context.ts'

interface TracedRequest {
  readonly request: Request
  readonly response: Response
  readonly current: CurrentContext
}

/**
 * Starts the span of a request that has a route. The span ends with the request, and is a child of the client's span.
 */
export function traceRequest(
  { start }: Tracing,
  { request, response, current }: TracedRequest,
  { route, traceId }: MatchedContext,
): Span {
  const { method, path } = route.endpoint
  const span = start(`${method} ${path}`, {
    kind: 'server',
    traceId,
    parent: parentInTrace(request.headers['traceparent'], traceId),
    attributes: { 'http.request.method': method, 'http.route': path },
  })
  whenRequestEnds(response, current, () => {
    const { principal, call } = current()
    const status = response.headersSent ? response.statusCode : call?.status
    const attributes = { 'http.response.status_code': status, 'payments.tenant.id': principal?.tenantId }
    span.end(attributes, describeFailure(status, 500))
  })
  return span
}

/**
 * Starts the span of the call to the service, a child of the span of the request. The span ends when the call settles.
 */
export function traceCall(
  { start }: Tracing,
  { traceId, span: parent, route }: MatchedContext,
  call: ForwardedCall,
): Span {
  const { method, path } = route.endpoint
  const span = start(`${method} ${path}`, {
    kind: 'client',
    traceId,
    parent: parent?.traceparent,
    attributes: { 'http.request.method': method, 'url.template': path, 'peer.service': route.service },
  })
  call.whenSettled(() => span.end({ 'http.response.status_code': call.status }, describeFailure(call.status, 400)))
  return span
}

/** By the semantic conventions, a 4xx is a failure of the client's span only. Without a status, the call broke off. */
function describeFailure(status: number | undefined, statusMin: number): string | undefined {
  if (status === undefined) return 'no_response'
  return status >= statusMin ? String(status) : undefined
}
