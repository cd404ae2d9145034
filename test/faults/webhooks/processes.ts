import { createLog } from '@payments/chassis/observability/log'
import { freePorts } from '@payments/devkit/machine/ports'
import { withClient } from '@payments/devkit/servers/databases'
import { tcpProxy } from '@payments/testing/peers/tcp-proxy'
import { openBroker } from '../../../services/webhooks/src/broker/broker.ts'
import type { WorkItem } from '../../../services/webhooks/src/domain/delivery/delivery.ts'
import { until } from '../../until.ts'
import { kill, killAt, repeatUnderLoad } from '../runner/kills.ts'
import { holding, ok } from './endpoint.ts'
import type { WebhookFault, WebhookRound } from './round.ts'

/** Processes killed with -9, most of them during a chosen step, and an additional dispatcher. */
/** The dispatcher records the responses, but the broker never receives its acknowledgements. */
async function killedBeforeAck(round: WebhookRound): Promise<number> {
  const { platform, servers, endpoint, databaseUrl } = round.world
  const payments = 4
  const attempts = 2 * payments
  const [port = 0] = await freePorts(1)
  const way = await tcpProxy(port, servers.amqpUrl)
  await platform.kill('webhooks-dispatcher', 'SIGKILL')
  const second = await platform.addDispatcher({ AMQP_URL: way.url })
  const held = holding(ok)
  const { id, name } = await round.subscribe('unacknowledged', {
    eventTypes: ['payment-proxy.*'],
    behaviour: held.behaviour,
  })
  await round.pay(payments)
  await until('attempts in work', () => endpoint.arrivalsAt(name).size >= attempts)
  way.hold()
  held.open()
  const delivered = `SELECT count(*)::int AS count FROM deliveries WHERE subscription_id = $1 AND status = 'delivered'`
  await withClient(databaseUrl('webhooks'), async (client) => {
    await until('attempts recorded', async () => {
      const { rows } = await client.query<{ count: number }>(delivered, [id])
      return (rows[0]?.count ?? 0) >= attempts
    })
  })
  await second.kill('webhooks-dispatcher', 'SIGKILL')
  await way.cut()
  await platform.restart('webhooks-dispatcher')
  round.notes.push(`${attempts} recorded and not acknowledged`)
  return 1
}

const copies = 3

/** Publishes each message `copies` times more, while two dispatchers consume the queue. */
async function twoDispatchers({ world, load, subscriptions }: WebhookRound): Promise<number> {
  const { platform, servers, databaseUrl } = world
  const log = createLog('faults', 'silent')
  const broker = await openBroker({
    url: servers.amqpUrl,
    prefix: platform.messagingPrefix,
    name: 'faults',
    topology: [],
    log,
  })
  const second = await platform.addDispatcher()
  const ids = subscriptions.map(({ id }) => id)
  let sent = 0
  try {
    await withClient(databaseUrl('webhooks'), async (client) => {
      await repeatUnderLoad(load, 10, async () => {
        const { rows } = await client.query<WorkItem>(
          `SELECT id, tenant_id AS "tenantId", subscription_id AS "subscriptionId", attempt_count AS "attemptCount" FROM deliveries
           WHERE subscription_id = ANY($1::uuid[]) AND status IN ('pending', 'delivering', 'retrying') LIMIT 100`,
          [ids],
        )
        const again = rows.flatMap((work) => Array.from({ length: copies }, () => work))
        await Promise.all(again.map((work) => broker.queues.publishWork(work, 0)))
        sent += again.length
      })
    })
  } finally {
    await broker.close()
    await second.stop()
  }
  return sent
}

export const processFaults: readonly WebhookFault[] = [
  {
    name: 'dispatcher killed after the POST, before the commit',
    short: true,
    run: killAt('webhooks-dispatcher', 'webhooks', 'recordAttempt', 1),
  },
  { name: 'dispatcher killed after the commit, before the ack', withoutLoad: true, run: killedBeforeAck },
  { name: 'payment-proxy killed in a transaction', run: killAt('payment-proxy', 'payment-proxy', 'emitEvent', 1) },
  {
    name: 'relay killed after the publish, before it is put down',
    short: true,
    run: killAt('payment-proxy', 'payment-proxy', 'settleEvent', 1),
  },
  ...(['webhooks-dispatcher', 'webhooks', 'api-key', 'rbac', 'audit', 'gateway'] as const).map((name) => ({
    name: `${name} killed`,
    run: kill(name),
  })),
  { name: 'two dispatchers on one message', run: twoDispatchers },
]
