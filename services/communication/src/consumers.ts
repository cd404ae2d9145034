import { businessUnitConsumers, businessUnitQueue } from '@payments/business-unit-copies/consumer'
import type { EventMessage } from '@payments/contracts/grammar/event'
import type { Consumer } from '@payments/messaging/consume/consume'
import { consumeErasureReports, type ErasureConsumerParts, payerErasureQueue } from '@payments/payer-erasure/consumer'
import type { Deps } from './deps.ts'
import { recordErasureReport } from './verbs/record-erasure-report.ts'

const service = 'communication'

/** The consumed queues, whose messages may be quarantined. */
export const consumedQueues = [businessUnitQueue(service), payerErasureQueue(service)] as const

/** Events of business-unit → copies, and reports about erasures of payers → verb. */
export const startConsumers = (deps: Deps, parts: ErasureConsumerParts): readonly Consumer<EventMessage>[] => [
  ...businessUnitConsumers(service)(deps, parts),
  consumeErasureReports(service, deps, parts, (event) => recordErasureReport(deps, event)),
]
