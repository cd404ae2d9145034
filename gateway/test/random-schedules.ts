import { outwaitLeases, type Timer } from '@payments/chassis/database/authorization-lease'
import { createVersionReads } from '@payments/chassis/database/authorization-version-reads'
import { Problem } from '@payments/contracts/grammar/problem'
import type { Clock } from '../src/authorization/clock.ts'
import type { Principal } from '../src/authorization/principal.ts'
import type { AuthorizationSources } from '../src/authorization/resolver.ts'
import {
  type ApiKeyState,
  firstSessions,
  type IdentityState,
  isJustified,
  keyHashes,
  type RbacState,
  type SourceModels,
  sessionTokens,
  sessionValues,
  sourcesOver,
  tokens,
  unreachable,
  values,
} from './authorization-model.ts'
import { changeKeys, changePeople, changeRoles } from './authorization-model-changes.ts'
import { latencyMs, queryMs, randomFrom, randomPauses, scheduleMs } from './random.ts'
import { type SimulatedProcess, simulatedTime } from './simulated-time.ts'
import { type CreateVersionReads, createSourceModel, type SourceModel, simulatedSessions } from './source-model.ts'

/** The resolver under test. */
interface TestedResolver {
  resolve(credential: string, context: { traceId: string }): Promise<Principal | undefined>
  close(): Promise<void>
}

/** `subscribe` registers a listener for broker events of changes, which are delayed too. */
export type CreateResolver = (
  sources: AuthorizationSources,
  clock: Clock,
  subscribe: (onEvent: () => void) => void,
) => TestedResolver

/** How long a source waits before it acknowledges a change: in the first response, and in a replay of the response. */
export interface Acknowledgment {
  readonly first: (timer: Timer) => Promise<void>
  readonly replay: (timer: Timer) => Promise<void>
}

export const realAcknowledgment: Acknowledgment = { first: outwaitLeases, replay: outwaitLeases }

export interface Tally {
  schedules: number
  resolved: number
  unavailable: number
  /** Resolved without a message to a source. */
  fromCache: number
  /** Principals that were not justified. */
  violations: number
  /** The steps of the first violation. */
  readonly story: string[]
}

interface TrialOptions {
  readonly seed: number
  readonly schedulesMax: number
  readonly violationsMax?: number
  readonly acknowledgment?: Acknowledgment
  readonly createReads?: CreateVersionReads
  /** Statements of the version reads take 40 ms on average, so gateways share most of them. */
  readonly isDatabaseSlow?: boolean
}

const requestsMax = 30
const changesMax = 4
const gatewaysTotal = 2
/** Of the rate of each clock. */
const driftMax = 0.01

/**
 * Runs random schedules of requests, changes, messages and pauses, up to `schedulesMax` schedules or `violationsMax`
 * violations.
 */
export async function runSchedules(create: CreateResolver, options: TrialOptions): Promise<Tally> {
  const { seed, schedulesMax, violationsMax = Number.POSITIVE_INFINITY, acknowledgment = realAcknowledgment } = options
  const { createReads = createVersionReads, isDatabaseSlow = false } = options
  const tally: Tally = { schedules: 0, resolved: 0, unavailable: 0, fromCache: 0, violations: 0, story: [] }
  while (tally.schedules < schedulesMax && tally.violations < violationsMax) {
    await runSchedule(
      { create, createReads, isDatabaseSlow, acknowledgment },
      randomFrom(seed + tally.schedules),
      tally,
    )
    tally.schedules += 1
  }
  return tally
}

interface Tested {
  readonly create: CreateResolver
  readonly createReads: CreateVersionReads
  readonly isDatabaseSlow: boolean
  readonly acknowledgment: Acknowledgment
}

async function runSchedule(tested: Tested, random: () => number, tally: Tally): Promise<void> {
  const scenario = createScenario(tested, random)
  const { time, gateways } = scenario
  const requests = createRequests(scenario, tally)
  const change = createChange(scenario, tested.acknowledgment, requests.send)
  for (let i = 0; i < requestsMax / 4; i += 1) time.after(scheduleMs * random(), requests.send)
  for (let i = 0; i < changesMax; i += 1) {
    const atMs = scheduleMs * random()
    time.after(atMs, change)
    // Fills the caches, and leaves leases and loads in progress at the time of the change.
    time.after(Math.max(0, atMs - 40 * random()), requests.send)
  }
  await time.run()
  await new Promise((resolve) => setImmediate(resolve))
  if (requests.open() > 0) throw new Error('a request got no response')
  for (const { resolver } of gateways) await resolver.close()
}

type Scenario = ReturnType<typeof createScenario>

function createScenario({ create, createReads, isDatabaseSlow }: Tested, random: () => number) {
  const time = simulatedTime()
  const startProcess = () =>
    time.process({ clockRate: 1 + (2 * random() - 1) * driftMax, pauses: randomPauses(random) })
  const sources = firstSources()
  const processes = { apiKey: startProcess(), identity: startProcess(), rbac: startProcess() }
  const versionReads = <S>(model: SourceModel<S>, process: SimulatedProcess) =>
    createReads(simulatedSessions(model, (step) => process.after(queryMs(random, isDatabaseSlow), step)))
  const reads = {
    apiKey: versionReads(sources.apiKey, processes.apiKey),
    identity: versionReads(sources.identity, processes.identity),
    rbac: versionReads(sources.rbac, processes.rbac),
  }
  const listeners: [SimulatedProcess, () => void][] = []
  const gateways = Array.from({ length: gatewaysTotal }, () => {
    const process = startProcess()
    const wire = { sent: 0 }
    const send = (to: SimulatedProcess) => sender({ from: process, to, random, wire })
    const sends = {
      apiKey: send(processes.apiKey),
      identity: send(processes.identity),
      rbac: send(processes.rbac),
    }
    const remote = sourcesOver(sources, sends, reads)
    const resolver = create(remote, process.clock, (listener) => void listeners.push([process, listener]))
    return { process, resolver, wire }
  })
  const story: (() => string)[] = []
  return {
    time,
    random,
    pick: <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T,
    sources,
    processes,
    gateways,
    listeners,
    story,
    record(describe: () => string) {
      const atMs = time.nowMs().toFixed(1)
      story.push(() => `${atMs}: ${describe()}`)
    },
  }
}

/** `send` sends a request of a random credential to a random gateway, up to `requestsMax` in all. */
function createRequests(scenario: Scenario, tally: Tally) {
  const { time, random, pick, sources, gateways, story, record } = scenario
  let total = 0
  let open = 0
  const settle = (described: (event: unknown) => string, isJust: boolean, principal: Principal | undefined) => {
    open -= 1
    tally.resolved += 1
    record(() => described(principal))
    if (isJust) return
    tally.violations += 1
    if (tally.story.length === 0) tally.story.push(...story.map((describe) => describe()))
  }
  const fail = (error: unknown) => {
    open -= 1
    if (!(error instanceof Problem) || error.code !== 'authorization_unavailable') throw error
    tally.unavailable += 1
  }
  const sendTo = (gateway: Scenario['gateways'][number], credential: string) => {
    if (total === requestsMax) return
    total += 1
    open += 1
    const number = total
    const since = {
      apiKey: sources.apiKey.acknowledged(),
      identity: sources.identity.acknowledged(),
      rbac: sources.rbac.acknowledged(),
    }
    const described = (event: unknown) =>
      `#${number} at gateway ${gateways.indexOf(gateway)} ${credential.slice(-8)}: ${JSON.stringify(event)}`
    record(() => described({ arrives: since }))
    gateway.process.after(0, () => {
      const { sent } = gateway.wire
      gateway.resolver.resolve(credential, { traceId: 'x' }).then((principal) => {
        if (gateway.wire.sent === sent) tally.fromCache += 1
        settle(described, isJustified(principal, credential, since, sources), principal)
      }, fail)
    })
    if (random() < 0.7) time.after(40 * random(), () => sendTo(gateway, credential))
  }
  return {
    open: () => open,
    send: () => sendTo(pick(gateways), pick(credentials)),
  }
}

const credentials = [
  ...[...values, values[0] as string, ...Object.keys(tokens)],
  ...[...sessionValues, ...Object.keys(sessionTokens)],
]

/** Commits a random change of a random source, which the source acknowledges later, sometimes twice. */
function createChange(scenario: Scenario, acknowledgment: Acknowledgment, sendRequest: () => void) {
  const { time, random, pick, sources, processes, listeners, record } = scenario
  return () => {
    const name = pick(['apiKey', 'identity', 'rbac'] as const)
    const source = sources[name]
    const acknowledge = {
      apiKey: () => changeKeys(sources.apiKey, pick),
      identity: () => changePeople(sources.identity, pick),
      rbac: () => changeRoles(sources.rbac, pick),
    }[name]()
    const state = source.state()
    record(() => `${name} commits ${JSON.stringify(state)}`)
    const respond = async (wait: (timer: Timer) => Promise<void>) => {
      await wait(processes[name].timer)
      time.after(random(), () => {
        acknowledge()
        record(() => 'the change is acknowledged')
        // Most violations are visible soon after the acknowledgment.
        for (let i = 0; i < 2; i += 1) time.after(random() < 0.5 ? 0 : 60 * random(), sendRequest)
      })
    }
    void respond(acknowledgment.first)
    if (random() < 0.4) processes[name].after(30 * random(), () => void respond(acknowledgment.replay))
    for (const [gateway, listener] of listeners) gateway.after(latencyMs(random), listener)
    if (random() < 0.1) source.purge()
    if (random() < 0.1) source.restart()
  }
}

function firstSources(): SourceModels {
  const [first = '', second = ''] = keyHashes
  return {
    apiKey: createSourceModel<ApiKeyState>({
      keys: {
        [first]: { id: 'k1', enabled: true, roleIds: ['r1'] },
        [second]: { id: 'k2', enabled: true, roleIds: ['r2', 'r1'] },
      },
    }),
    identity: createSourceModel<IdentityState>(firstSessions),
    rbac: createSourceModel<RbacState>({
      suspended: false,
      roles: { r1: { name: 'editor', permissions: ['apikey:ReadKey'] } },
    }),
  }
}

interface Wire {
  readonly from: SimulatedProcess
  readonly to: SimulatedProcess
  readonly random: () => number
  readonly wire: { sent: number }
}

/** One request in twenty is lost in transit, and so is one response. */
function sender({ from, to, random, wire }: Wire) {
  return <A>(respond: () => A | Promise<A>) =>
    new Promise<A>((resolve, reject) => {
      wire.sent += 1
      const back = (step: () => void) => from.after(latencyMs(random), step)
      to.after(latencyMs(random), () => {
        if (random() < 0.05) return back(() => reject(unreachable()))
        const responding = new Promise<A>((settle) => settle(respond()))
        responding.then(
          (response) => back(() => (random() < 0.05 ? reject(unreachable()) : resolve(response))),
          (problem: unknown) => back(() => reject(problem)),
        )
      })
    })
}
