import type { Tracing } from '@payments/chassis/observability/span'
import { deliveryTraceparent } from '../domain/attempt/attempt-headers.ts'
import type { WorkItem } from '../domain/delivery/delivery.ts'
import type { AuthenticatedSend } from '../egress/authenticated-send.ts'
import type { Claimed } from '../store/delivery/claim.ts'

/**
 * `send` within the span of an attempt. The span belongs to the trace of the request that caused the event, and links
 * to the trace of the delivery, which the receiver continues.
 */
export function tracedSend(
  { start, run }: Tracing,
  send: AuthenticatedSend,
  item: WorkItem,
  { traceId, traceparent: parent, destinationUrl, eventType }: Claimed,
): AuthenticatedSend {
  return async (request, authInfo) => {
    const { hostname, port, protocol } = new URL(destinationUrl)
    const span = start('POST', {
      kind: 'client',
      traceId,
      parent,
      link: deliveryTraceparent({ id: item.id, traceId }),
      attributes: {
        'http.request.method': 'POST',
        'http.request.resend_count': item.attemptCount,
        'server.address': hostname,
        'server.port': port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
        'payments.tenant.id': item.tenantId,
        'payments.event.type': eventType,
        'payments.delivery.id': item.id,
        'payments.delivery.trace_id': traceId,
        'payments.subscription.id': item.subscriptionId,
      },
    })
    try {
      const outcome = await run(span, () => send(request, authInfo))
      span.end({ 'http.response.status_code': outcome.statusCode }, outcome.errorKind ?? undefined)
      return outcome
    } catch (error) {
      span.end({}, 'not_sent')
      throw error
    }
  }
}
