import { createLog } from '@payments/chassis/observability/log'
import { freePorts } from '@payments/devkit/machine/ports'
import type { ProcessName } from '@payments/devkit/platform/process-plan'
import { withClient } from '@payments/devkit/servers/databases'
import { tcpProxy } from '@payments/testing/peers/tcp-proxy'
import { openBroker } from '../../services/webhooks/src/broker/broker.ts'
import type { WorkItem } from '../../services/webhooks/src/domain/work-item.ts'
import { holding, ok } from './endpoint.ts'
import { type Fault, type Injection, underLoad } from './fault.ts'
import { type GateName, whileClosed } from './gates.ts'
import type { Scenario } from './scenario.ts'
import { until } from './until.ts'

/** Processes killed with -9, most of them during a chosen step, and an additional dispatcher. */
const times = 2

const killed = (name: ProcessName): Fault => ({
  name: `${name} killed`,
  run: (scenario) =>
    underLoad(scenario, times, async () => {
      await scenario.world.platform.kill(name, 'SIGKILL')
      await scenario.world.platform.restart(name)
    }),
})

/** Kills a process that waits at the gate. */
const killedAt = (
  name: ProcessName,
  { service, gate }: { service: 'webhooks' | 'payment-proxy'; gate: GateName },
  scenario: Scenario,
): Promise<Injection> =>
  underLoad(scenario, 1, async () => {
    const { platform, databaseOf } = scenario.world
    await whileClosed(databaseOf(service), gate, async (waiting) => {
      await until(`session of ${name} at ${gate}`, async () => (await waiting()) > 0)
      await platform.kill(name, 'SIGKILL')
    })
    await platform.restart(name)
  })

/** The dispatcher records the responses, but the broker never receives its acknowledgements. */
async function killedBeforeAck(scenario: Scenario): Promise<Injection> {
  const { platform, servers, endpoint, databaseOf } = scenario.world
  const payments = 4
  const attempts = 2 * payments
  const [port = 0] = await freePorts(1)
  const way = await tcpProxy(port, servers.amqpUrl)
  await platform.kill('webhooks-dispatcher', 'SIGKILL')
  const second = await platform.addDispatcher({ AMQP_URL: way.url })
  const held = holding(ok)
  const { id, name } = await scenario.subscribe('unacknowledged', {
    eventTypes: ['payment-proxy.*'],
    behaviour: held.behaviour,
  })
  await scenario.pay(payments)
  await until('attempts in work', () => endpoint.arrivalsAt(name).size >= attempts)
  way.hold()
  held.open()
  const delivered = `SELECT count(*)::int AS count FROM deliveries WHERE subscription_id = $1 AND status = 'delivered'`
  await withClient(databaseOf('webhooks'), async (client) => {
    await until('attempts recorded', async () => {
      const { rows } = await client.query<{ count: number }>(delivered, [id])
      return (rows[0]?.count ?? 0) >= attempts
    })
  })
  await second.kill('webhooks-dispatcher', 'SIGKILL')
  await way.cut()
  await platform.restart('webhooks-dispatcher')
  return { times: 1, note: `${attempts} recorded and not acknowledged` }
}

const copies = 3

/** Publishes each message `copies` times more, while two dispatchers consume the queue. */
async function twoDispatchers(scenario: Scenario): Promise<Injection> {
  const { platform, servers, databaseOf } = scenario.world
  const log = createLog('faults', 'silent')
  const broker = await openBroker({
    url: servers.amqpUrl,
    prefix: platform.messagingPrefix,
    name: 'faults',
    topology: [],
    log,
  })
  const second = await platform.addDispatcher()
  const ids = scenario.tracked.map(({ id }) => id)
  let sent = 0
  try {
    await withClient(databaseOf('webhooks'), async (client) => {
      await underLoad(scenario, 10, async () => {
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
  return { times: sent }
}

export const processFaults: readonly Fault[] = [
  {
    name: 'dispatcher killed after the POST, before the commit',
    short: true,
    run: (scenario) => killedAt('webhooks-dispatcher', { service: 'webhooks', gate: 'recordAttempt' }, scenario),
  },
  { name: 'dispatcher killed after the commit, before the ack', run: killedBeforeAck },
  {
    name: 'payment-proxy killed in a transaction',
    run: (scenario) => killedAt('payment-proxy', { service: 'payment-proxy', gate: 'emitEvent' }, scenario),
  },
  {
    name: 'relay killed after the publish, before it is put down',
    short: true,
    run: (scenario) => killedAt('payment-proxy', { service: 'payment-proxy', gate: 'settleEvent' }, scenario),
  },
  ...(['webhooks-dispatcher', 'webhooks', 'api-key', 'rbac', 'audit', 'gateway'] as const).map(killed),
  { name: 'two dispatchers on one message', run: twoDispatchers },
]
