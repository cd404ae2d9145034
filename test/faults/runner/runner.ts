/**
 * **What it does.** Injects the faults of a scenario into the running platform, one after the other while clients work,
 * and checks the promises after each. Prints a table.
 *
 * **Participants.** A scenario starts its world: processes, servers, tenants and peers. Each fault has a round of its
 * own, with the load and the checks.
 *
 * **Guarantees.** The test of a fault fails when a promise is broken, when the fault did not happen, when a client got
 * a wrong response, and when a process ended without being killed.
 *
 * **Not guaranteed.** Faults that kill servers, where servers run only in containers: they are skipped and named.
 */
import { expect } from '@jest/globals'
import type { Load } from './load.ts'
import { type Row, writeLine, writeReport } from './report.ts'
import type { Opening, Site } from './site.ts'

export interface Scenario<R extends AnyRound, F extends Fault<R> = Fault<R>> {
  readonly faults: readonly F[]
  /** Starts the world, once. */
  readonly open: (opening: Opening) => Promise<R['world']>
  /** Prepares the round of one fault. */
  readonly begin: (world: R['world'], fault: F) => Promise<R>
}

export interface Round<W extends Pick<Site, 'servers' | 'deaths'> = Site> {
  readonly world: W
  readonly load: Load
  /** Waits until every promise holds, at most until a deadline. */
  readonly check: () => Promise<Checked>
}

/** The runner needs little of a world. */
type AnyRound = Round<Pick<Site, 'servers' | 'deaths'>>

export interface Fault<R> {
  readonly name: string
  /** Part of `npm test`. */
  readonly short?: true
  /** Kills servers, so it needs its own. */
  readonly killsServers?: true
  /** Works without the load, or starts it. */
  readonly withoutLoad?: true
  /** Injects the fault. Returns how often. Throws when the fault did not happen or when a promise was broken. */
  readonly run: (round: R) => Promise<number>
}

/** The outcome of a fault. */
export interface Checked extends Pick<Row, 'measured' | 'broken'> {
  readonly notes?: readonly string[]
}

/** The faults of this run, each a test. `FAULTS` has the choice of `npm run faults`. */
export function faultRun<R extends AnyRound, F extends Fault<R>>(scenario: Scenario<R, F>) {
  const choice = process.env['FAULTS']
  const opening: Opening = { isLong: choice !== undefined, closing: [] }
  const rows: Row[] = []
  let world: R['world']
  return {
    faults: chooseFaults(scenario.faults, choice),
    open: async () => {
      world = await scenario.open(opening)
    },
    inject: async (fault: F) => {
      if (fault.killsServers === true && world.servers.killable === undefined) {
        process.stdout.write(`not done, since this machine's servers must not be killed: ${fault.name}\n`)
        expect(fault.short).toBeUndefined()
        return
      }
      const row = await runFault(scenario, world, fault)
      rows.push(row)
      if (opening.isLong) process.stdout.write(writeLine(row))
      expect(row.broken).toEqual([])
    },
    close: async () => {
      if (rows.length > 0) process.stdout.write(`\n${writeReport(rows)}\n`)
      for (const close of opening.closing.toReversed()) await close()
    },
  }
}

/** Undefined is the short form; else `all`, or parts of names with commas between them. */
function chooseFaults<F extends Fault<never>>(faults: readonly F[], choice: string | undefined): readonly F[] {
  const parts = choice?.split(',') ?? []
  const isChosen = ({ name, short }: F) =>
    choice === undefined ? short : choice === 'all' || parts.some((part) => name.includes(part))
  const chosen = faults.filter(isChosen)
  const names = faults.map(({ name }) => name)
  if (chosen.length === 0) throw new Error(`No fault has "${choice}" in its name. There are: ${names.join(', ')}`)
  return chosen
}

/** Injects one fault and checks the promises. */
export async function runFault<R extends AnyRound, F extends Fault<R>>(
  scenario: Scenario<R, F>,
  world: R['world'],
  fault: F,
): Promise<Row> {
  const round = await scenario.begin(world, fault)
  const startedAt = performance.now()
  const broken: string[] = []
  const note = (error: unknown) => broken.push(String(error))
  let injected = 0
  if (fault.withoutLoad === undefined) round.load.start()
  try {
    injected = await fault.run(round)
    if (injected === 0) note('the fault did not happen')
  } catch (error) {
    // The promises must hold in any case.
    note(error)
  }
  await round.load.stop().catch(note)
  const { measured, broken: found, notes = [] } = await round.check()
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10
  return {
    fault: fault.name,
    injected,
    measured,
    seconds,
    notes,
    broken: [...broken, ...found, ...world.deaths.splice(0)],
  }
}
