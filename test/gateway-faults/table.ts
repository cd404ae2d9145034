import { textTable } from '../text-table.ts'
import type { Row } from './run.ts'

const columns: readonly (readonly [string, (row: Row) => string])[] = [
  ['pressure', ({ pressure }) => pressure],
  ['seconds', ({ seconds }) => String(seconds)],
  ['p50 before', ({ before }) => ms(before.p50Ms)],
  ['p50 during', ({ during }) => ms(during.p50Ms)],
  ['p99 before', ({ before }) => ms(before.p99Ms)],
  ['p99 during', ({ during }) => ms(during.p99Ms)],
  ['requests', ({ sent }) => String(sent)],
  ['failed', ({ failures }) => String(failures.length)],
  ['RSS before', ({ rssBeforeMiB }) => `${rssBeforeMiB} MiB`],
  ['RSS peak', ({ rssPeakMiB }) => `${rssPeakMiB} MiB`],
  ['audit lost', ({ lost }) => String(lost)],
]

const ms = (value: number) => `${value.toFixed(1)} ms`

/** A line per pressure, then what each did to the gateway, then each broken bound. */
export function writeTable(rows: readonly Row[]): string {
  const lines = [columns.map(([title]) => title), ...rows.map((row) => columns.map(([, cell]) => cell(row)))]
  const notes = rows.map(({ pressure, counts }) => {
    const statuses = Object.entries(counts.statuses).map(([status, count]) => `${count} × ${status}`)
    const read = statuses.length === 0 ? 'no response read' : statuses.join(', ')
    return `${pressure}: ${counts.opened} connections, ${counts.closed} closed by the gateway, ${counts.written} writes, ${read}`
  })
  const broken = rows.flatMap((row) => row.broken.map((what) => `BROKEN under ${row.pressure}: ${what}`))
  const summary = `${rows.length} pressures, ${broken.length} broken bounds`
  return [...textTable(lines), '', ...notes, ...broken, summary, ''].join('\n')
}
