import { textTable } from '../text-table.ts'

/** One line of a table of faults. */
export interface FaultRow {
  readonly fault: string
  /** Broken promises, as text. */
  readonly broken: readonly string[]
  readonly seconds: number
}

/** One fault, as soon as it is over: a run of all takes minutes. */
export function writeLine({ fault, broken, seconds }: FaultRow): string {
  return [`• ${fault}: ${broken.length} broken promises, ${seconds} s`, ...broken, ''].join('\n')
}

/** A table with a line per fault, then the broken promises with their faults. */
export function writeReport<R extends FaultRow>(rows: readonly R[], columns: readonly (keyof R & string)[]): string {
  const lines = [columns, ...rows.map((row) => columns.map((column) => String(row[column])))]
  const broken = rows.flatMap((row) => row.broken.map((what) => `BROKEN by ${row.fault}: ${what}`))
  const summary = `${rows.length} faults, ${broken.length} broken promises`
  return [...textTable(lines), '', ...broken, summary, ''].join('\n')
}
