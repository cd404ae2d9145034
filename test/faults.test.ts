import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { chooseFaults } from './faults/choice.ts'
import { faults } from './faults/list.ts'
import { type Row, runFaults } from './faults/run.ts'
import { writeLine, writeTable } from './faults/table.ts'
import { openWorld, type World } from './faults/world.ts'

/**
 * No committed event is lost: faults are injected into the running platform, and the state of every event is checked
 * (faults/invariant.ts). `npm run faults webhooks` runs all faults, each on its own servers; here a few run that kill
 * no server.
 */
const choice = process.env['FAULTS']
const chosen = chooseFaults(faults, choice)
const turns = choice === undefined ? [chosen] : chosen.map((fault) => [fault])
const rows: Row[] = []
let world: World

beforeAll(async () => {
  world = await openWorld(choice !== undefined)
}, 120_000)

afterAll(async () => {
  if (rows.length > 0) process.stdout.write(`\n${writeTable(rows)}\n`)
  await world?.stop()
}, 120_000)

test.each(turns.map((turn) => [turn.map(({ name }) => name).join('; '), turn] as const))(
  'nothing is lost: %s',
  async (_, turn) => {
    const possible = turn.filter(({ killsServers }) => killsServers === undefined || world.killable !== undefined)
    for (const { name } of turn) {
      if (!possible.some((fault) => fault.name === name))
        process.stdout.write(`not done, since this machine's servers must not be killed: ${name}\n`)
    }
    const done = await runFaults(world, possible)
    rows.push(...done)
    if (choice !== undefined) process.stdout.write(done.map(writeLine).join(''))
    expect(done.map(({ fault, lost, broken }) => ({ fault, lost, broken }))).toEqual(
      possible.map(({ name }) => ({ fault: name, lost: 0, broken: [] })),
    )
  },
  300_000,
)
