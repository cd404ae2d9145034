import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { chooseFaults } from './faults/choice.ts'
import { writeLine, writeReport } from './faults/report.ts'
import { paymentFaults } from './payment-faults/faults.ts'
import { columns, type Row, runPaymentFault } from './payment-faults/run.ts'
import { openWorld, type World } from './payment-faults/world.ts'

/**
 * The books stay exact: faults are injected while clients pay, and then our books are compared with the ledger of the
 * provider and with the responses. `npm run faults payments` runs all faults, each on servers of its own; here one
 * runs that kills no server.
 */
const choice = process.env['PAYMENT_FAULTS']
const rows: Row[] = []
let world: World

beforeAll(async () => {
  world = await openWorld(choice !== undefined)
}, 180_000)

afterAll(async () => {
  if (rows.length > 0) process.stdout.write(`\n${writeReport(rows, columns)}\n`)
  await world?.stop()
}, 120_000)

test.each(chooseFaults(paymentFaults, choice).map((fault) => [fault.name, fault] as const))(
  'the books are exact: %s',
  async (name, fault) => {
    if (fault.killsServers !== undefined && world.killable === undefined) {
      process.stdout.write(`not done, since this machine's servers must not be killed: ${name}\n`)
      return
    }
    const row = await runPaymentFault(world, fault)
    rows.push(row)
    if (choice !== undefined) process.stdout.write(writeLine(row))
    expect(row.injected).toBeGreaterThan(0)
    expect(row.broken).toEqual([])
  },
  600_000,
)
