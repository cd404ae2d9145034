import { around, endServer, kill, killAt, repeatUnderLoad } from '../runner/kills.ts'
import type { Fault, Round } from '../runner/runner.ts'
import type { Reporting } from './provider.ts'
import type { World } from './world.ts'

export interface PaymentFault extends Fault<Round<World>> {
  /** The clients pay at the reference provider, which reports by webhooks, instead of the sandbox. */
  readonly atProvider?: true
  /** Other tokens than `providerTokens`. */
  readonly tokens?: readonly string[]
}

const timeouts = ['ok', 'slow', 'slow_not_applied', 'capture_slow', 'capture_slow_not_applied', 'refund_slow']

/** Returns the number of webhooks that the platform accepted. */
const reported = (name: string, how: Reporting): PaymentFault => ({
  name,
  atProvider: true,
  run: async ({ world: { provider }, load }) => {
    const before = provider.accepted()
    await provider.report(how)
    await load.ended(4 * around)
    await provider.report('once')
    return provider.accepted() - before
  },
})

export const paymentFaults: readonly PaymentFault[] = [
  { name: 'lost responses, applied and not applied', run: ({ load }) => repeatUnderLoad(load, 1, async () => {}) },
  {
    name: 'payment-proxy killed before the provider call takes effect',
    short: true,
    run: killAt('payment-proxy', 'payment-proxy', 'executeOperation', 1),
  },
  {
    name: 'payment-proxy killed after the provider call, before its outcome is recorded',
    run: killAt('payment-proxy', 'payment-proxy', 'recordOutcome'),
  },
  {
    name: 'payment-proxy killed while a payer decides at the bank',
    run: killAt('payment-proxy', 'payment-proxy', 'decideAtBank'),
  },
  { name: 'payment-proxy killed', run: kill('payment-proxy') },
  { name: 'gateway killed', run: kill('gateway') },
  { name: 'business-unit killed', atProvider: true, run: kill('business-unit') },
  { name: 'PostgreSQL restarted', killsServers: true, run: endServer('postgres', 'SIGINT') },
  { name: 'PostgreSQL killed -9 and started', killsServers: true, run: endServer('postgres', 'SIGKILL') },
  { name: 'broker killed -9 and started', killsServers: true, run: endServer('rabbitmq', 'SIGKILL') },
  reported('provider webhooks duplicated', 'twice'),
  reported('provider webhooks reordered', 'reordered'),
  reported('provider webhooks before the response', 'before the response'),
  {
    name: 'provider unreachable, then back',
    atProvider: true,
    run: ({ world: { provider }, load }) =>
      repeatUnderLoad(load, 2, async () => {
        await provider.port.cut()
        await load.ended(around)
        await provider.port.restore()
      }),
  },
  {
    name: 'provider times out, applied and not applied',
    atProvider: true,
    tokens: timeouts,
    run: ({ load }) => repeatUnderLoad(load, 1, async () => {}),
  },
]
