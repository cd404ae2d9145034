import type { Scenario, Tracked } from './scenario.ts'

export interface Fault {
  readonly name: string
  /** Part of `npm test`. */
  readonly short?: true
  /** Kills servers, so it needs its own. */
  readonly killsServers?: true
  /** Time-out for every delivery to reach a final state. */
  readonly timeoutMs?: number
  /** Injects the fault. Throws when the fault did not happen or when a promise was broken. */
  readonly run: (scenario: Scenario) => Promise<Injection>
}

export interface Injection {
  /** How often. */
  readonly times: number
  /** Other measurements. */
  readonly note?: string
  /** Subscriptions of this fault, of other tenants. */
  readonly others?: readonly Tracked[]
}

/** Runs `times` actions under load. */
export async function underLoad(scenario: Scenario, times: number, act: () => Promise<void>): Promise<Injection> {
  const around = 12
  scenario.startLoad()
  for (let turn = 0; turn < times; turn += 1) {
    await scenario.accepted(around)
    await act()
  }
  await scenario.accepted(around)
  await scenario.stopLoad()
  return { times }
}
