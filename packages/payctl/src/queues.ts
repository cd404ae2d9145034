import {
  type QuarantineQueueName,
  quarantinedEventsQueue,
  quarantineQueues,
} from '@payments/contracts/endpoints/quarantine'
import { Problem } from '@payments/contracts/grammar/problem'
import { Argument } from 'commander'
import { followTask } from './follow.ts'
import { newContext, type Services } from './services.ts'

/**
 * The queues that operators read: dead letters of webhooks, the quarantine queue of each consuming service, and the
 * quarantined events of payment-proxy.
 */
export const deadLetters = 'webhooks.dead-letters'
export type QueueName = typeof deadLetters | QuarantineQueueName | typeof quarantinedEventsQueue

const queueNames: readonly QueueName[] = [deadLetters, ...Object.values(quarantineQueues), quarantinedEventsQueue]

export const queueArgument = () => new Argument('<queue>', 'name of the queue').choices(queueNames)

/** The service of each queue. */
const owners = {
  [deadLetters]: 'webhooks',
  'webhooks.quarantine': 'webhooks',
  'payment-proxy.quarantine': 'paymentProxy',
  [quarantinedEventsQueue]: 'paymentProxy',
  'communication.quarantine': 'communication',
  'invite-to-pay.quarantine': 'inviteToPay',
  'audit.quarantine': 'audit',
} as const satisfies Record<QueueName, keyof Services>

/** The service that owns the queue. */
export function queueOwner<Q extends QueueName>(services: Services, queue: Q): Services[(typeof owners)[Q]] {
  return services[owners[queue]]
}

/** The queues of the services that respond, by name, and the problems of the others. */
export async function listQueues(services: Services) {
  const failures: Problem[] = []
  const lists = [...new Set(Object.values(owners))].map(async (name) => {
    try {
      return (await services[name].listDeadLetterQueues(newContext(), {})).data
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      failures.push(error)
      return []
    }
  })
  const queues = (await Promise.all(lists)).flat()
  return { queues: queues.sort((a, b) => (a.name < b.name ? -1 : 1)), failures }
}

interface QueueChange {
  readonly verb: 'redrive' | 'discard'
  readonly queue: QueueName
  readonly selection: { readonly ids: string[] } | { readonly filter: object }
  readonly dryRun: boolean
  /** Per second; undefined is without limit. */
  readonly rate: number | undefined
  /** Of a discard. */
  readonly reason: string
}

/** Redrives or discards, and waits for the end of a task. Returns the number of dead letters or messages. */
export async function changeQueue(
  services: Services,
  change: QueueChange,
  report: (line: string) => void,
): Promise<number> {
  const { queue, verb, selection, reason } = change
  const body = { operator: services.operator, dry_run: change.dryRun }
  const context = newContext()
  const params = { queue }
  if (queue !== deadLetters && queue !== 'webhooks.quarantine') {
    const service = queueOwner(services, queue)
    const chosen = { ...body, ...('ids' in selection ? selection : { filter: {} }) }
    const { count } =
      verb === 'redrive'
        ? await service.redriveQueue(context, { params, body: chosen })
        : await service.discardQueue(context, { params, body: { ...chosen, reason } })
    return count
  }
  const { webhooks } = services
  const paced = { ...body, ...selection, ...(change.rate === undefined ? {} : { rate_per_second: change.rate }) }
  const accepted =
    verb === 'redrive'
      ? await webhooks.redriveQueue(context, { params, body: paced })
      : await webhooks.discardQueue(context, { params, body: { ...paced, reason } })
  if (accepted.status === 200) return accepted.body.count
  report(`task ${accepted.body.task_id}; Ctrl-C leaves it running`)
  return (await followTask({ webhooks }, accepted.body.task_id, report)).done
}
