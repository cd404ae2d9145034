import type { Fault, Injection } from './fault.ts'
import { settled, type Tally, wrongDeadLetters } from './invariant.ts'
import type { CommittedEvent, Mark } from './ledger.ts'
import { openScenario, type Scenario } from './scenario.ts'
import type { World } from './world.ts'

/** One line of the table. */
export interface Row extends Omit<Tally, 'broken'> {
  readonly fault: string
  readonly injected: number
  readonly seconds: number
  readonly note: string
  readonly broken: readonly string[]
}

interface Done {
  readonly fault: Fault
  readonly injection: Injection
  readonly from: Mark
  readonly to: Mark
  readonly startedAt: number
  readonly broken: string[]
}

const timeoutMsDefault = 90_000

/** Injects faults one after the other in one scenario, then checks the events of each. */
export async function runFaults(world: World, faults: readonly Fault[]): Promise<Row[]> {
  const scenario = await openScenario(world)
  const done: Done[] = []
  for (const fault of faults) done.push(await runOne(scenario, fault))
  const rows: Row[] = []
  for (const one of done) rows.push(await rowOf(scenario, one))
  const wrong = [...(await wrongDeadLetters(world)), ...world.deaths.splice(0)]
  await scenario.close()
  return rows.map((row, index) => (index === rows.length - 1 ? { ...row, broken: [...row.broken, ...wrong] } : row))
}

async function runOne(scenario: Scenario, fault: Fault): Promise<Done> {
  const { ledger } = scenario.world
  const startedAt = performance.now()
  const from = await ledger.mark()
  const broken: string[] = []
  let injection: Injection = { times: 0 }
  try {
    injection = await fault.run(scenario)
  } catch (error) {
    // Events until now still count.
    broken.push(String(error))
  }
  await scenario.stopLoad()
  return { fault, injection, from, to: await ledger.mark(), startedAt, broken }
}

async function rowOf({ world, tracked }: Scenario, done: Done): Promise<Row> {
  const { fault, injection, from, startedAt, broken } = done
  const all = [...tracked, ...(injection.others ?? [])]
  const events: CommittedEvent[] = await world.ledger.between(from, done.to)
  const tally = await settled(world, all, events, fault.timeoutMs ?? timeoutMsDefault)
  return {
    fault: fault.name,
    injected: injection.times,
    ...tally,
    seconds: Math.round((performance.now() - startedAt) / 100) / 10,
    note: injection.note ?? '',
    broken: [...broken, ...tally.broken],
  }
}
