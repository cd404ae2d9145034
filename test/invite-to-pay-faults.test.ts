import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { chooseFaults } from './faults/choice.ts'
import { writeLine, writeReport } from './faults/report.ts'
import { invitationFaults } from './invite-to-pay-faults/faults.ts'
import { columns, type Row, runInvitationFault } from './invite-to-pay-faults/run.ts'
import { openWorld, type World } from './invite-to-pay-faults/world.ts'

/**
 * A link is paid once and never late, and its messages and events arrive: faults are injected while payers pay, and
 * then codes, transactions, ledger, messages and events are compared. `npm run faults invite-to-pay` runs all faults,
 * on servers of its own; here one runs that kills no server.
 */
const choice = process.env['INVITE_TO_PAY_FAULTS']
const rows: Row[] = []
let world: World

beforeAll(async () => {
  world = await openWorld(choice !== undefined)
}, 240_000)

afterAll(async () => {
  if (rows.length > 0) process.stdout.write(`\n${writeReport(rows, columns)}\n`)
  await world?.stop()
}, 120_000)

test.each(chooseFaults(invitationFaults, choice).map((fault) => [fault.name, fault] as const))(
  'a link is paid once, and its messages and events arrive: %s',
  async (name, fault) => {
    if (fault.killsServers !== undefined && world.killable === undefined) {
      process.stdout.write(`not done, since this machine's servers must not be killed: ${name}\n`)
      return
    }
    const row = await runInvitationFault(world, fault)
    rows.push(row)
    if (choice !== undefined) process.stdout.write(writeLine(row))
    expect(row.injected).toBeGreaterThan(0)
    expect(row.broken).toEqual([])
  },
  600_000,
)
