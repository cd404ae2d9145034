import { textTable } from '../text-table.ts'
import type { Row } from './run.ts'

const columns = [
  ['fault', 'fault'],
  ['injected', 'injected'],
  ['events', 'events'],
  ['matching', 'matching'],
  ['delivered', 'delivered'],
  ['dead', 'dead'],
  ['held', 'held'],
  ['discarded', 'discarded'],
  ['lost', 'lost'],
  ['duplicated', 'duplicated'],
  ['seconds', 'seconds'],
] as const satisfies readonly (readonly [string, keyof Row])[]

/** A table with a line per fault, then the broken promises with their faults. */
export function writeTable(rows: readonly Row[]): string {
  const lines = [columns.map(([title]) => title), ...rows.map((row) => columns.map(([, key]) => String(row[key])))]
  const notes = rows.filter(({ note }) => note !== '').map(({ fault, note }) => `${fault}: ${note}`)
  const broken = rows.flatMap((row) => row.broken.map((what) => `BROKEN by ${row.fault}: ${what}`))
  const lost = rows.reduce((sum, row) => sum + row.lost, 0)
  const summary = `${rows.length} faults, ${lost} lost, ${broken.length} broken promises`
  return [...textTable(lines), '', ...notes, ...broken, summary, ''].join('\n')
}

/** One fault, as soon as it is over: a run of all takes minutes. */
export function writeLine({ fault, injected, events, lost, broken, seconds }: Row): string {
  const line = `${fault}: injected ${injected}, ${events} events, ${lost} lost, ${broken.length} broken promises, ${seconds} s`
  return [`• ${line}`, ...broken, ''].join('\n')
}
