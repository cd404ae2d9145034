import { Problem } from '@payments/contracts/problem'
import type { Owners, Principal } from '../src/authorization/resolver.ts'
import {
  type ApiKeyState,
  answering,
  changeKeys,
  changeRoles,
  createOwner,
  isJustified,
  keyHashes,
  type Owner,
  type RbacState,
  silence,
  tokens,
  values,
} from './epoch-model.ts'

/** What is being tried: something that judges credentials by asking owners. */
export interface Judge {
  judge(credential: string, context: { traceId: string }): Promise<Principal | undefined>
  close(): Promise<void>
}

/** `listen`: whom the broker's events of changes go to; they are late too. */
export type MakeJudge = (owners: Owners, listen: (onEvent: () => void) => void) => Judge

export interface Tally {
  schedules: number
  judged: number
  unavailable: number
  /** Judgements that were not justified; the story of the first one. */
  violations: number
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

/** Runs schedules of requests, changes of power, and messages in any order, until there are enough, or enough violations. */
export async function tryOut(make: MakeJudge, options: TrialOptions): Promise<Tally> {
  const { seed, schedulesMax, violationsMax = Number.POSITIVE_INFINITY } = options
  const tally: Tally = { schedules: 0, judged: 0, unavailable: 0, violations: 0, story: [] }
  while (tally.schedules < schedulesMax && tally.violations < violationsMax) {
    await runSchedule(make, randomFrom(seed + tally.schedules), tally)
    tally.schedules += 1
  }
  return tally
}

async function runSchedule(make: MakeJudge, random: () => number, tally: Tally): Promise<void> {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const story: (() => string)[] = []
  const { apiKey, rbac } = firstOwners()
  const onWay: (() => void)[] = []
  const listeners: (() => void)[] = []
  const judge = make(answering(apiKey, rbac, sender(onWay, random)), (listener) => void listeners.push(listener))

  let open = 0
  const request = (number: number) => {
    open += 1
    const credential = pick([...values, values[0] as string, ...Object.keys(tokens)])
    const since = { apiKey: apiKey.answered(), rbac: rbac.answered() }
    const told = (what: unknown) =>
      `#${number} ${credential.slice(-8)} since ${JSON.stringify(since)}: ${JSON.stringify(what)}`
    story.push(() => told('arrives'))
    judge.judge(credential, { traceId: 'x' }).then(
      (principal) => {
        open -= 1
        tally.judged += 1
        story.push(() => told(principal))
        if (isJustified(principal, credential, since, { apiKey, rbac })) return
        tally.violations += 1
        if (tally.story.length === 0) tally.story.push(...story.map((tell) => tell()))
      },
      (error: unknown) => {
        open -= 1
        if (!(error instanceof Problem) || error.code !== 'authorization_unavailable') throw error
        tally.unavailable += 1
      },
    )
  }
  const change = () => {
    const owner = pick([apiKey, rbac])
    const answer = owner === apiKey ? changeKeys(apiKey, pick) : changeRoles(rbac, pick)
    const state = owner.state()
    story.push(() => `${owner === apiKey ? 'api-key' : 'rbac'} commits ${JSON.stringify(state)}`)
    onWay.push(() => {
      answer()
      story.push(() => 'a change is answered')
    })
    for (const listener of listeners) onWay.push(listener)
    if (random() < 0.1) owner.purge()
    if (random() < 0.1) owner.restart()
  }

  let requests = 0
  let changes = 0
  for (let step = 0; step < stepsOfSchedule; step += 1) {
    const chance = random()
    if (chance < 0.15 && requests < requestsMax) request((requests += 1))
    else if (chance < 0.25 && changes < changesMax) {
      change()
      changes += 1
    } else deliver(onWay, random)
    await settled()
  }
  for (let rest = 0; onWay.length > 0 && rest < 1_000; rest += 1) {
    deliver(onWay, random)
    await settled()
  }
  if (onWay.length > 0) throw new Error('the judge goes on asking for ever')
  await new Promise((resolve) => setImmediate(resolve))
  if (open > 0) throw new Error('a request was never answered')
  await judge.close()
}

function firstOwners(): { apiKey: Owner<ApiKeyState>; rbac: Owner<RbacState> } {
  const [first = '', second = ''] = keyHashes
  return {
    apiKey: createOwner<ApiKeyState>({
      keys: {
        [first]: { id: 'k1', enabled: true, roleIds: ['r1'] },
        [second]: { id: 'k2', enabled: true, roleIds: ['r2', 'r1'] },
      },
    }),
    rbac: createOwner<RbacState>({
      suspended: false,
      roles: { r1: { name: 'editor', permissions: ['apikey:ReadKey'] } },
    }),
  }
}

/** One question in twenty is lost on its way, and one answer. */
function sender(onWay: (() => void)[], random: () => number) {
  return <A>(answer: () => A) =>
    new Promise<A>((resolve, reject) => {
      onWay.push(() => {
        if (random() < 0.05) return onWay.push(() => reject(silence()))
        try {
          const told = answer()
          return onWay.push(() => (random() < 0.05 ? reject(silence()) : resolve(told)))
        } catch (problem) {
          return onWay.push(() => reject(problem))
        }
      })
    })
}

/** Any of the messages on their way arrives. */
function deliver(onWay: (() => void)[], random: () => number): void {
  const [message] = onWay.splice(Math.floor(random() * onWay.length), 1)
  message?.()
}

const turns = 24

/** Lets what follows from the last message happen: of promises, which is much faster than going round the event loop. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await undefined
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
