import type { Scene, Watched } from './scene.ts'

export interface Fault {
  readonly name: string
  /** Part of `npm test`. */
  readonly short?: true
  /** Servers are killed, which those that all tests share must not be. */
  readonly killsServers?: true
  /** How long everything may take to come to an end afterwards. */
  readonly timeoutMs?: number
  /** Does it to the scene. Throws where the fault did not come about, or where something was seen that must not be. */
  readonly run: (scene: Scene) => Promise<Injection>
}

export interface Injection {
  /** How often. */
  readonly times: number
  /** What else was measured or seen. */
  readonly note?: string
  /** Subscriptions that only this fault has, of tenants of their own. */
  readonly others?: readonly Watched[]
}

/** Runs the load around something that is done `times` times, so that it is done under load each time. */
export async function underLoad(scene: Scene, times: number, act: () => Promise<void>): Promise<Injection> {
  const around = 12
  scene.startLoad()
  for (let turn = 0; turn < times; turn += 1) {
    await scene.accepted(around)
    await act()
  }
  await scene.accepted(around)
  await scene.stopLoad()
  return { times }
}
