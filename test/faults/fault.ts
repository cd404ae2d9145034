import type { Scenario, Tracked } from './scenario.ts'

export interface Fault {
  readonly name: string
  /** Part of `npm test`. */
  readonly short?: true
  /** Servers are killed, which those that all tests share must not be. */
  readonly killsServers?: true
  /** How long everything may take to come to an end afterwards. */
  readonly timeoutMs?: number
  /** Does it to the scenario. Throws where the fault did not come about, or where something was seen that must not be. */
  readonly run: (scenario: Scenario) => Promise<Injection>
}

export interface Injection {
  /** How often. */
  readonly times: number
  /** What else was measured or seen. */
  readonly note?: string
  /** Subscriptions that only this fault has, of tenants of their own. */
  readonly others?: readonly Tracked[]
}

/** Runs the load around something that is done `times` times, so that it is done under load each time. */
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
