import { withClient } from '@payments/devkit/servers/databases'
import { until } from '../../until.ts'
import { around, endServer, kill, killAt, repeatUnderLoad } from '../runner/kills.ts'
import type { Fault, Round } from '../runner/runner.ts'
import { hasten } from './facts.ts'
import type { World } from './world.ts'

type InvitationRound = Round<World>

const pauseTimeoutMs = 120_000

async function isTrue({ databaseUrl }: World, sql: string, values: readonly unknown[]): Promise<boolean> {
  const { rows } = await withClient(databaseUrl('invite-to-pay'), (admin) =>
    admin.query<{ is: boolean }>(`SELECT EXISTS (${sql}) AS is`, [...values]),
  )
  return rows[0]?.is === true
}

/** Stops invite-to-pay while payments run, until another replica has read the outcome of each. */
async function pausePaymentProxy({ world, load }: InvitationRound): Promise<number> {
  const { platform } = world
  const replica = await platform.addInviteToPay()
  try {
    return await repeatUnderLoad(load, 1, async () => {
      await until('payment', () => isTrue(world, `SELECT 1 FROM codes WHERE status = 'processing'`, []), pauseTimeoutMs)
      await platform.kill('invite-to-pay', 'SIGSTOP')
      const claimed = `SELECT 1 FROM codes WHERE status = 'processing' AND recover_count = 0 AND claimed_at <= $1`
      const at = new Date()
      try {
        await until('recovery', async () => !(await isTrue(world, claimed, [at])), pauseTimeoutMs)
      } finally {
        await platform.kill('invite-to-pay', 'SIGCONT')
      }
    })
  } finally {
    await replica.replica.stop()
  }
}

/** Stops payment-proxy until a claimed payment must not start any more, and lets it read the request then. */
const pausedBeforeStart = ({ world, load }: InvitationRound): Promise<number> =>
  repeatUnderLoad(load, 2, () => until('claim that is too old', () => pausedDuringClaim(world), pauseTimeoutMs))

/** Whether a payer claimed a code soon after the stop. Then payment-proxy continues once the claim is too old. */
async function pausedDuringClaim(world: World): Promise<boolean> {
  const fresh = `SELECT 1 FROM codes WHERE status = 'active' AND created_at > clock_timestamp() - interval '1 second'`
  await until('new code', () => isTrue(world, fresh, []), pauseTimeoutMs)
  await world.platform.kill('payment-proxy', 'SIGSTOP')
  const at = new Date()
  const claimed = `SELECT 1 FROM code_history WHERE status = 'processing' AND claimed_at > $1`
  const late = `${claimed} AND claimed_at < clock_timestamp() - interval '11 seconds'`
  try {
    const isClaimed = await until('claim', () => isTrue(world, claimed, [at]), 5_000).then(
      () => true,
      () => false,
    )
    if (isClaimed) await until('claim that is too old', () => isTrue(world, late, [at]), pauseTimeoutMs)
    return isClaimed
  } finally {
    await world.platform.kill('payment-proxy', 'SIGCONT')
  }
}

/**
 * The provider is unreachable, fails, and loses its responses. A payer waits 120 s for a link, and the third attempt of
 * a message comes after a minute, so attempts are due at once when the provider responds again. Returns the number of
 * requests that the provider failed.
 */
async function withoutProvider({ world, load }: InvitationRound): Promise<number> {
  const { provider } = world
  const before = provider.failed()
  await load.ended(around)
  await provider.port.cut()
  await load.ended(around)
  await provider.port.restore()
  await hasten(world)
  await load.ended(around)
  for (const mode of ['fails', 'loses'] as const) {
    provider.behave(mode)
    await load.ended(around)
  }
  provider.behave('accepts')
  await hasten(world)
  await load.ended(around)
  return provider.failed() - before
}

const processes = [
  'invite-to-pay',
  'payment-proxy',
  'communication',
  'webhooks',
  'webhooks-dispatcher',
  'gateway',
] as const

export const invitationFaults: readonly Fault<InvitationRound>[] = [
  { name: 'lost responses of the payment provider', run: ({ load }) => repeatUnderLoad(load, 1, async () => {}) },
  {
    name: 'invite-to-pay killed before a code is stored',
    run: killAt('invite-to-pay', 'invite-to-pay', 'createCode'),
  },
  { name: 'invite-to-pay killed while a code is claimed', run: killAt('invite-to-pay', 'invite-to-pay', 'claimCode') },
  {
    name: 'invite-to-pay killed before its payment starts',
    run: killAt('invite-to-pay', 'payment-proxy', 'startOperation'),
  },
  {
    name: 'invite-to-pay killed while its payment is recorded',
    run: killAt('invite-to-pay', 'payment-proxy', 'recordOutcome'),
  },
  {
    name: 'invite-to-pay killed after a payment, before its outcome is recorded',
    short: true,
    run: killAt('invite-to-pay', 'invite-to-pay', 'settleCode'),
  },
  {
    name: 'invite-to-pay killed before it knows the bank of a payer',
    run: killAt('invite-to-pay', 'invite-to-pay', 'recordConfirmation'),
  },
  {
    name: 'invite-to-pay killed at the return of a payer, between bank and outcome',
    run: killAt('invite-to-pay', 'invite-to-pay', 'returnFromBank'),
  },
  {
    name: 'payment-proxy killed while a payer decides at the bank',
    run: killAt('payment-proxy', 'payment-proxy', 'decideAtBank'),
  },
  {
    name: 'invite-to-pay killed in a transaction, before its event',
    run: killAt('invite-to-pay', 'invite-to-pay', 'emitEvent'),
  },
  {
    name: 'invite-to-pay killed after an event is published, before it is marked',
    run: killAt('invite-to-pay', 'invite-to-pay', 'settleEvent'),
  },
  {
    name: 'invite-to-pay killed after a message is handed over, before that is recorded',
    run: killAt('invite-to-pay', 'invite-to-pay', 'handOver'),
  },
  {
    name: 'payment-proxy killed before the event of a transaction',
    run: killAt('payment-proxy', 'payment-proxy', 'emitEvent'),
  },
  {
    name: 'payment-proxy killed before a payment takes effect',
    run: killAt('payment-proxy', 'payment-proxy', 'executeOperation'),
  },
  {
    name: 'payment-proxy killed after a payment, before its outcome is recorded',
    run: killAt('payment-proxy', 'payment-proxy', 'recordOutcome'),
  },
  {
    name: 'communication killed before a message is stored',
    run: killAt('communication', 'communication', 'queueMessage'),
  },
  {
    name: 'communication killed after a message is sent, before that is recorded',
    run: killAt('communication', 'communication', 'recordSent'),
  },
  ...processes.map((name) => ({ name: `${name} killed`, run: kill(name) })),
  { name: 'invite-to-pay paused beyond the recovery of its payments', run: pausePaymentProxy },
  { name: 'payment-proxy paused beyond the start of payments', run: pausedBeforeStart },
  { name: 'provider of messages unreachable, failing, then back', run: withoutProvider },
  { name: 'PostgreSQL restarted', killsServers: true, run: endServer('postgres', 'SIGINT') },
  { name: 'PostgreSQL killed -9 and started', killsServers: true, run: endServer('postgres', 'SIGKILL') },
  { name: 'RabbitMQ killed -9 and started', killsServers: true, run: endServer('rabbitmq', 'SIGKILL') },
]
