import { setTimeout as delay } from 'node:timers/promises'
import type { ProcessName } from '@payments/devkit/platform/process-plan'
import type { Service } from '@payments/devkit/servers/databases'
import { until } from '../../until.ts'
import { type GateName, whileClosed } from './gates.ts'
import type { Load } from './load.ts'
import type { Round } from './runner.ts'

/** Injects a fault while the load runs. Returns how often. */
type Injector = (round: Pick<Round, 'world' | 'load'>) => Promise<number>

/** Works of clients that end before, between and after the actions. */
export const around = 12

export async function repeatUnderLoad(load: Load, times: number, act: () => Promise<unknown>): Promise<number> {
  for (let turn = 0; turn < times; turn += 1) {
    await load.ended(around)
    await act()
  }
  await load.ended(around)
  return times
}

export const kill =
  (name: ProcessName): Injector =>
  ({ world: { platform }, load }) =>
    repeatUnderLoad(load, 3, async () => {
      await platform.kill(name, 'SIGKILL')
      await delay(500)
      await platform.restart(name)
    })

/** Kills the process while a session waits at a gate of the service's database. */
export const killAt =
  (name: ProcessName, service: Service, gate: GateName, times = 2): Injector =>
  ({ world: { platform, databaseUrl }, load }) =>
    repeatUnderLoad(load, times, async () => {
      await whileClosed(databaseUrl(service), gate, async (waiting) => {
        await until(`session at ${gate}`, async () => (await waiting()) > 0)
        await platform.kill(name, 'SIGKILL')
      })
      await platform.restart(name)
    })

/** Ends a server with a signal and starts it again. */
export const endServer =
  (server: 'postgres' | 'rabbitmq', signal: NodeJS.Signals): Injector =>
  ({ world, load }) =>
    repeatUnderLoad(load, 1, async () => {
      const { [server]: ended } = requireKillable(world)
      await ended.end(signal)
      await delay(500)
      await ended.start()
    })

/** The servers of a fault with `killsServers`. */
export function requireKillable({ servers: { killable } }: Round['world']) {
  if (killable === undefined) throw new Error('these servers must not be killed')
  return killable
}
