import { setTimeout as delay } from 'node:timers/promises'
import { createLoad } from '../faults/load.ts'
import type { FaultRow } from '../faults/report.ts'
import { hasten, readFacts } from './facts.ts'
import type { InvitationFault } from './faults.ts'
import { type Invited, invite } from './merchant.ts'
import { type Finding, findBroken, findWrongPages, kinds, type Since } from './promises.ts'
import type { World } from './world.ts'

/** One line of the table: among others, the number of findings of each kind. */
export interface Row extends FaultRow, Readonly<Record<Finding['kind'], number>> {
  readonly injected: number
  readonly links: number
  /** Links that were paid. */
  readonly paid: number
}

export const columns = [
  'fault',
  'injected',
  'links',
  'paid',
  ...kinds,
  'seconds',
] as const satisfies readonly (keyof Row)[]

const settleTimeoutMs = 150_000
const pollMs = 1_000
const shownMax = 20

export async function runInvitationFault(world: World, fault: InvitationFault): Promise<Row> {
  const startedAt = performance.now()
  const since: Since = { at: new Date(), mark: await world.ledger.mark() }
  const invited: Invited[] = []
  const broken: string[] = []
  const load = createLoad(async (number) => {
    invited.push(await invite(world, number))
  })
  let injected = 0
  load.start()
  try {
    injected = await fault.run(world, load)
  } catch (error) {
    broken.push(String(error))
  }
  await load.stop().catch((error: unknown) => broken.push(String(error)))
  const findings = await settled(world, invited, since)
  const { codes } = await readFacts(world, since.at)
  const texts = findings.map(({ kind, what }) => `${kind}: ${what}`)
  broken.push(...texts.slice(0, shownMax), ...world.deaths.splice(0))
  const counts = Object.fromEntries(kinds.map((kind) => [kind, findings.filter((one) => one.kind === kind).length]))
  return {
    fault: fault.name,
    injected,
    links: invited.length,
    paid: codes.filter(({ status }) => status === 'completed').length,
    ...(counts as Record<Finding['kind'], number>),
    seconds: Math.round((performance.now() - startedAt) / 100) / 10,
    broken,
  }
}

/** Waits until no promise is broken, at most until the deadline. Returns the promises that are broken then. */
async function settled(world: World, invited: readonly Invited[], since: Since): Promise<Finding[]> {
  const deadlineAt = performance.now() + settleTimeoutMs
  for (;;) {
    const findings = await findBroken(world, invited, since)
    if (findings.length === 0) return findWrongPages(world, invited, since)
    if (performance.now() > deadlineAt) return findings
    await hasten(world)
    await delay(pollMs)
  }
}
