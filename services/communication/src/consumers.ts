import { erasureReportPatterns } from '@payments/contracts/edges/event-patterns'
import type { EventMessage } from '@payments/contracts/grammar/event'
import type { Consumer } from '@payments/messaging/consume/consume'
import {
  consumeEvents,
  type EventConsumerParts,
  type EventQueue,
  eventConsumerOptions,
} from '@payments/messaging/consume/consume-events'
import { businessUnitConsumers, businessUnitQueue } from '@payments/service/business-units/consumer'
import type { Deps } from './deps.ts'
import { recordErasureReport } from './verbs/record-erasure-report.ts'

const service = 'communication'

const erasureReportQueue: EventQueue = {
  service,
  name: `${service}.payer-erasures`,
  patterns: erasureReportPatterns,
}

/** The consumed queues, whose messages may be quarantined. */
export const consumedQueues = [businessUnitQueue(service).name, erasureReportQueue.name] as const

/** Events of business-unit → copies, and reports about erasures of payers → verb. */
export const startConsumers = (deps: Deps, parts: EventConsumerParts): readonly Consumer<EventMessage>[] => [
  ...businessUnitConsumers(service)(deps, parts),
  consumeEvents(erasureReportQueue, eventConsumerOptions(deps, parts), (event) => recordErasureReport(deps, event)),
]
