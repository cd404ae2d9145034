import { Problem } from '@payments/contracts/problem'
import type { AuthorizationSources, Principal } from '../src/authorization/resolver.ts'
import {
  type ApiKeyState,
  changeKeys,
  changeRoles,
  createSourceModel,
  isJustified,
  keyHashes,
  type RbacState,
  type SourceModel,
  sourcesOver,
  tokens,
  unreachable,
  values,
} from './authorization-model.ts'

/** The resolver under test. */
export interface TestedResolver {
  resolve(credential: string, context: { traceId: string }): Promise<Principal | undefined>
  close(): Promise<void>
}

/** `subscribe` registers a listener for broker events of changes, which are delayed too. */
export type CreateResolver = (sources: AuthorizationSources, subscribe: (onEvent: () => void) => void) => TestedResolver

export interface Tally {
  schedules: number
  resolved: number
  unavailable: number
  /** Principals that were not justified. */
  violations: number
  /** The steps of the first violation. */
  readonly story: string[]
}

interface TrialOptions {
  readonly seed: number
  readonly schedulesMax: number
  readonly violationsMax?: number
}

const stepsOfSchedule = 70
const requestsMax = 8
const changesMax = 4

/**
 * Runs random schedules of requests, changes and messages, up to `schedulesMax` schedules or `violationsMax`
 * violations.
 */
export async function runSchedules(create: CreateResolver, options: TrialOptions): Promise<Tally> {
  const { seed, schedulesMax, violationsMax = Number.POSITIVE_INFINITY } = options
  const tally: Tally = { schedules: 0, resolved: 0, unavailable: 0, violations: 0, story: [] }
  while (tally.schedules < schedulesMax && tally.violations < violationsMax) {
    await runSchedule(create, randomFrom(seed + tally.schedules), tally)
    tally.schedules += 1
  }
  return tally
}

async function runSchedule(create: CreateResolver, random: () => number, tally: Tally): Promise<void> {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const story: (() => string)[] = []
  const { apiKey, rbac } = firstSources()
  const inTransit: (() => void)[] = []
  const listeners: (() => void)[] = []
  const resolver = create(
    sourcesOver(apiKey, rbac, sender(inTransit, random)),
    (listener) => void listeners.push(listener),
  )

  let open = 0
  const request = (number: number) => {
    open += 1
    const credential = pick([...values, values[0] as string, ...Object.keys(tokens)])
    const since = { apiKey: apiKey.acknowledged(), rbac: rbac.acknowledged() }
    const described = (event: unknown) =>
      `#${number} ${credential.slice(-8)} since ${JSON.stringify(since)}: ${JSON.stringify(event)}`
    story.push(() => described('arrives'))
    resolver.resolve(credential, { traceId: 'x' }).then(
      (principal) => {
        open -= 1
        tally.resolved += 1
        story.push(() => described(principal))
        if (isJustified(principal, credential, since, { apiKey, rbac })) return
        tally.violations += 1
        if (tally.story.length === 0) tally.story.push(...story.map((describe) => describe()))
      },
      (error: unknown) => {
        open -= 1
        if (!(error instanceof Problem) || error.code !== 'authorization_unavailable') throw error
        tally.unavailable += 1
      },
    )
  }
  const change = () => {
    const source = pick([apiKey, rbac])
    const acknowledge = source === apiKey ? changeKeys(apiKey, pick) : changeRoles(rbac, pick)
    const state = source.state()
    story.push(() => `${source === apiKey ? 'api-key' : 'rbac'} commits ${JSON.stringify(state)}`)
    inTransit.push(() => {
      acknowledge()
      story.push(() => 'a change is acknowledged')
    })
    for (const listener of listeners) inTransit.push(listener)
    if (random() < 0.1) source.purge()
    if (random() < 0.1) source.restart()
  }

  let requests = 0
  let changes = 0
  for (let step = 0; step < stepsOfSchedule; step += 1) {
    const chance = random()
    if (chance < 0.15 && requests < requestsMax) request((requests += 1))
    else if (chance < 0.25 && changes < changesMax) {
      change()
      changes += 1
    } else deliver(inTransit, random)
    await settled()
  }
  for (let i = 0; inTransit.length > 0 && i < 1_000; i += 1) {
    deliver(inTransit, random)
    await settled()
  }
  if (inTransit.length > 0) throw new Error('the resolver never stops sending requests')
  await new Promise((resolve) => setImmediate(resolve))
  if (open > 0) throw new Error('a request got no response')
  await resolver.close()
}

function firstSources(): { apiKey: SourceModel<ApiKeyState>; rbac: SourceModel<RbacState> } {
  const [first = '', second = ''] = keyHashes
  return {
    apiKey: createSourceModel<ApiKeyState>({
      keys: {
        [first]: { id: 'k1', enabled: true, roleIds: ['r1'] },
        [second]: { id: 'k2', enabled: true, roleIds: ['r2', 'r1'] },
      },
    }),
    rbac: createSourceModel<RbacState>({
      suspended: false,
      roles: { r1: { name: 'editor', permissions: ['apikey:ReadKey'] } },
    }),
  }
}

/** One request in twenty is lost in transit, and so is one response. */
function sender(inTransit: (() => void)[], random: () => number) {
  return <A>(respond: () => A) =>
    new Promise<A>((resolve, reject) => {
      inTransit.push(() => {
        if (random() < 0.05) return inTransit.push(() => reject(unreachable()))
        try {
          const response = respond()
          return inTransit.push(() => (random() < 0.05 ? reject(unreachable()) : resolve(response)))
        } catch (problem) {
          return inTransit.push(() => reject(problem))
        }
      })
    })
}

/** Delivers a random message in transit. */
function deliver(inTransit: (() => void)[], random: () => number): void {
  const [message] = inTransit.splice(Math.floor(random() * inTransit.length), 1)
  message?.()
}

const microtasks = 24

/** Runs the promise callbacks that follow from the last message. Faster than a round of the event loop. */
async function settled(): Promise<void> {
  for (let i = 0; i < microtasks; i += 1) await undefined
}

/** mulberry32: small, and the same on every machine. */
function randomFrom(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
