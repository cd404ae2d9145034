import { businessUnitConsumers, businessUnitQueue } from '@payments/business-unit-copies/consumer'
import type { EventMessage } from '@payments/contracts/grammar/event'
import type { Consumer } from '@payments/messaging/consume/consume'
import {
  consumeEvents,
  type EventConsumerParts,
  eventConsumerOptions,
} from '@payments/messaging/consume/consume-events'
import { erasureReportQueue } from '@payments/payer-erasure/consumer'
import type { Deps } from './deps.ts'
import { recordErasureReport } from './verbs/record-erasure-report.ts'

const service = 'communication'

/** The consumed queues, whose messages may be quarantined. */
export const consumedQueues = [businessUnitQueue(service).name, erasureReportQueue(service).name] as const

/** Events of business-unit → copies, and reports about erasures of payers → verb. */
export const startConsumers = (deps: Deps, parts: EventConsumerParts): readonly Consumer<EventMessage>[] => [
  ...businessUnitConsumers(service)(deps, parts),
  consumeEvents(erasureReportQueue(service), eventConsumerOptions(deps, parts), (event) =>
    recordErasureReport(deps, event),
  ),
]
