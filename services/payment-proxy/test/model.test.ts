import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type Command, histories } from './model/commands.ts'
import { History } from './model/history.ts'
import { checkBooks, transactionWatch } from './model/invariants.ts'
import { type ReportingWorld, startReportingWorld } from './reporting.ts'

/**
 * Random histories of a tenant, with the ledger of the sandbox as the oracle: payments with declines, lost responses,
 * retries, crashes around the provider request, concurrent requests, provider webhooks that are repeated, early or
 * wrong, sweeps, expiry, and resolutions by a person. `npm run model payments` runs 10 000 commands; here fewer run.
 */
const { MODEL_COMMANDS, MODEL_SEED } = process.env
const commandsLeast = Number(MODEL_COMMANDS ?? 250)
const seed = Number(MODEL_SEED ?? Math.trunc(Math.random() * 2 ** 31))
const commandsMax = 20
const historiesPerRound = 10
const shrinkingMaxMs = 120_000

let world: ReportingWorld
beforeAll(async () => {
  world = await startReportingWorld()
})
afterAll(() => world.stop())

async function run(commands: readonly Command[]): Promise<void> {
  const history = new History(world)
  const checkTransactions = transactionWatch(world, history.tenant)
  try {
    for (const command of commands) {
      await history.run(command)
      await checkTransactions()
    }
    await history.settle()
    await checkTransactions()
    await checkBooks(world, history.tenant)
  } finally {
    await history.end()
  }
}

test('in every history, the recorded operations match the ledger', async () => {
  let commands = 0
  let differences = 0
  const property = fc.asyncProperty(histories(commandsMax), async (history) => {
    await run(history)
    commands += history.length
  })
  try {
    for (let round = 0; commands < commandsLeast; round += 1) {
      await fc.assert(property, {
        seed: seed + round,
        numRuns: historiesPerRound,
        interruptAfterTimeLimit: shrinkingMaxMs,
        markInterruptAsFailure: true,
      })
    }
  } catch (error) {
    differences += 1
    throw error
  } finally {
    const [counts] = await world.rows<{ operations: number; effects: number }>(
      `SELECT (SELECT count(*)::int FROM operations) AS operations,
           (SELECT count(*)::int FROM sandbox_operations WHERE state = 'succeeded') AS effects`,
    )
    const { operations, effects } = counts ?? { operations: 0, effects: 0 }
    process.stdout.write(
      `${commands} commands, ${operations} operations, ${effects} effects, ${differences} differences, seed ${seed}\n`,
    )
  }
  expect(commands).toBeGreaterThanOrEqual(commandsLeast)
}, 3_600_000)
