import { setTimeout as delay } from 'node:timers/promises'
import { createLoad } from '../runner/load.ts'
import type { Checked, Round, Scenario } from '../runner/runner.ts'
import { hasten, readFacts } from './facts.ts'
import { invitationFaults } from './faults.ts'
import { type Invited, invite } from './merchant.ts'
import { type Finding, findBroken, findWrongPages, kinds, type Since } from './promises.ts'
import { openWorld, type World } from './world.ts'

export const inviteToPay: Scenario<Round<World>> = {
  faults: invitationFaults,
  open: openWorld,
  begin: async (world) => {
    const since: Since = { at: new Date(), mark: await world.ledger.mark() }
    const invited: Invited[] = []
    const load = createLoad(async (number) => {
      invited.push(await invite(world, number))
    })
    return { world, load, check: () => checkPromises(world, invited, since) }
  },
}

const settleTimeoutMs = 150_000
const pollMs = 1_000
const shownMax = 20

async function checkPromises(world: World, invited: readonly Invited[], since: Since): Promise<Checked> {
  const findings = await untilSettled(world, invited, since)
  const { codes } = await readFacts(world, since.at)
  const paid = codes.filter(({ status }) => status === 'completed').length
  const counts = kinds.map((kind) => [kind, findings.filter((one) => one.kind === kind).length])
  return {
    measured: { links: invited.length, paid, ...Object.fromEntries(counts) },
    broken: findings.slice(0, shownMax).map(({ kind, what }) => `${kind}: ${what}`),
  }
}

/**
 * Waits until no promise is broken, at most until the deadline. Returns the promises that are broken then. A code whose
 * end the merchant of the scenario moved in the database is stored as expired up to 30 s after its page shows it.
 */
async function untilSettled(world: World, invited: readonly Invited[], since: Since): Promise<Finding[]> {
  const deadlineAt = performance.now() + settleTimeoutMs
  for (;;) {
    const broken = await findBroken(world, invited, since)
    const findings = broken.length > 0 ? broken : await findWrongPages(world, invited, since)
    if (findings.length === 0 || performance.now() > deadlineAt) return findings
    await hasten(world)
    await delay(pollMs)
  }
}
