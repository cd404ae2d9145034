import { expect, test } from '@jest/globals'
import { createLoad } from './runner/load.ts'
import { writeReport } from './runner/report.ts'
import { type Fault, type Round, runFault } from './runner/runner.ts'
import type { Site } from './runner/site.ts'

/** Faults of a world without processes: what makes the test of a fault fail. */
type World = Pick<Site, 'servers' | 'deaths'>

interface Given extends Partial<Pick<Fault<Round<World>>, 'run'>> {
  readonly work?: () => Promise<void>
  readonly broken?: readonly string[]
  readonly deaths?: readonly string[]
}

const happens = async ({ load }: Round<World>) => {
  await load.ended(1)
  return 1
}

function runRow({ run = happens, work = async () => {}, broken = [], deaths = [] }: Given) {
  const world = { servers: { databaseUrl: '', amqpUrl: '', killable: undefined }, deaths: [...deaths] }
  const check = async () => ({ measured: { payments: 2, rate: '5 ms' }, broken })
  const fault = { name: 'gateway killed', run }
  const scenario = {
    faults: [fault],
    open: async () => world,
    begin: async () => ({ world, load: createLoad(work), check }),
  }
  return runFault(scenario, world, fault)
}

test('a fault after which every promise holds breaks none, and the report has its measurements', async () => {
  const row = await runRow({})
  expect(row).toMatchObject({ fault: 'gateway killed', injected: 1, broken: [] })
  expect(writeReport([row, row])).toContain('2 faults, 2 injected, 4 payments,')
})

const rejects = (message: string) => () => Promise.reject(new Error(message))

test.each<[string, Given, string]>([
  ['a check fails', { broken: ['a payment is lost'] }, 'a payment is lost'],
  ['the fault does not happen', { run: async () => 0 }, 'the fault did not happen'],
  ['the fault cannot be injected', { run: rejects('no session') }, 'Error: no session'],
  ['a client gets a wrong response', { work: rejects('status 500') }, 'AggregateError: Error: status 500'],
  ['a process ends without being killed', { deaths: ['gateway ended'] }, 'gateway ended'],
])('a promise is broken, and the report names the fault, when %s', async (_when, given, what) => {
  const row = await runRow(given)
  expect(row.broken).toEqual([what])
  expect(writeReport([row])).toContain(`\nBROKEN by gateway killed: ${what}\n`)
})
