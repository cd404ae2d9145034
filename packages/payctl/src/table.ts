import { type Command, Option } from 'commander'
import { listMax, type ReadPage, upTo, wholeNumber } from './arguments.ts'
import { printable, printJson } from './output.ts'

/** Lists for operators: one line per item and no rules, so that a list fits a terminal of 80 columns. */

/** How an operator wants a list. */
export interface ListForm {
  readonly json?: true
  /** Every column, whole ids and texts, and instants in place of ages. */
  readonly output?: 'wide' | undefined
}

export interface Column<T> {
  readonly title: string
  readonly cell: (item: T) => Cell
  /** Title and cell of a list that is not wide. `null`: only a wide list has the column. */
  readonly narrow?: Pick<Column<T>, 'title' | 'cell'> | null
  /** How a text gives way when a line is too long. Without it the column keeps its width. */
  readonly fit?: Fit
}

/** Cut at its start, at its end or after the length of a UUID, or continued on the next line. */
type Fit = 'start' | 'end' | 'id' | 'fold'

type Cell = string | number | null

/** The options of a command that prints a list. */
export function withListForms(command: Command): Command {
  const wide = new Option('-o, --output <form>', 'wide: every column, whole ids and texts, instants instead of ages')
  return command.addOption(wide.choices(['wide'])).option('--json', 'print JSON')
}

interface Listing<T> {
  readonly items: readonly T[]
  readonly columns: readonly Column<T>[]
  /** Printed in place of the items. */
  readonly json?: readonly unknown[]
  /** Lines below the table. */
  readonly below?: readonly string[]
}

/**
 * Lets a command print a list, of at most `--limit` items. `read` gets the options, and a function that reads so many
 * items page by page.
 */
export function listAction<T, Options>(
  command: Command,
  [noun, limit]: readonly [noun: string, limit: number],
  read: (options: Options, all: <Item>(page: ReadPage<Item>) => Promise<Item[]>) => Promise<Listing<T>>,
): Command {
  command.option('--limit <n>', `maximum number of ${noun}, up to ${listMax}`, wholeNumber(1, listMax), limit)
  return withListForms(command).action(async (...given: unknown[]) => {
    const options = given[command.registeredArguments.length] as Options & ListForm & { readonly limit: number }
    const { items, columns, json = items, below = [] } = await read(options, (page) => upTo(options.limit, page))
    if (options.json) return printJson(json)
    printList(items, columns, options)
    process.stdout.write(below.map((line) => `${line}\n`).join(''))
  })
}

export function printList<T>(items: readonly T[], columns: readonly Column<T>[], { output }: ListForm): void {
  // A terminal may be wider than 80 columns.
  const max = Math.max(80, process.stdout.isTTY ? process.stdout.columns : 0)
  const lines = output === 'wide' ? wideLines(items, columns) : narrowLines(items, columns, max)
  process.stdout.write(lines.map((line) => `${line}\n`).join(''))
}

export const wideLines = <T>(items: readonly T[], columns: readonly Column<T>[]): string[] =>
  formatLines(items, columns, Number.MAX_SAFE_INTEGER)

/** Lines of at most `max` characters, unless columns that are not cut need more. */
export function narrowLines<T>(items: readonly T[], columns: readonly Column<T>[], max: number): string[] {
  const shown = columns
    .filter(({ narrow }) => narrow !== null)
    .map((column) => (column.narrow ? { ...column, ...column.narrow } : column))
  return formatLines(items, shown, max)
}

/** An id of another thing: its last characters, since the first ones of a UUID v7 are its time. */
export function idColumn<T>(title: string, readId: (item: T) => string | null): Column<T> {
  return { title, cell: readId, narrow: { title, cell: (item) => shortId(readId(item)) } }
}

/** An instant, which is an age in a narrow list. */
export function ageColumn<T>(title: string, narrowTitle: string, readInstant: (item: T) => string | null): Column<T> {
  return {
    title,
    cell: readInstant,
    narrow: { title: narrowTitle, cell: (item) => formatAge(readInstant(item), Date.now()) },
  }
}

/** A column of a wide list only. */
export function wideColumn<T>(title: string, cell: (item: T) => Cell): Column<T> {
  return { title, cell, narrow: null }
}

const shortIdCharacters = 8

export const shortId = (id: string | null): string | null => id && `…${id.slice(-shortIdCharacters)}`

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const

/** The time since an instant in its largest whole unit: `3 h`. */
export function formatAge(instant: string | null, nowMs: number): string | null {
  if (instant === null) return null
  const ageMs = Math.max(0, nowMs - Date.parse(instant))
  const [unit, unitMs] = units.find(([, ms]) => ageMs >= ms) ?? ['s', 1_000]
  return `${Math.floor(ageMs / unitMs)} ${unit}`
}

const gap = '  '

function formatLines<T>(items: readonly T[], columns: readonly Column<T>[], max: number): string[] {
  const rows = items.map((item) => columns.map(({ cell }) => cell(item)))
  const titles = columns.map(({ title }) => title.toUpperCase())
  const texts = [titles, ...rows.map((row) => row.map((cell) => printable(String(cell ?? '–'))))]
  const natural = columns.map((_, at) => Math.max(...texts.map((row) => displayWidth(row[at] ?? ''))))
  const widths = fittingWidths(natural, columns, max)
  const isNumber = columns.map((_, at) => rows.length > 0 && rows.every((row) => typeof row[at] === 'number'))
  return texts.flatMap((row) => {
    const cells = row.map((text, at) => fitCell(text, widths[at] ?? 0, columns[at]?.fit))
    const height = Math.max(...cells.map(({ length }) => length))
    return Array.from({ length: height }, (_, line) =>
      cells
        .map((cell, at) => {
          const text = cell[line] ?? ''
          const blanks = ' '.repeat(Math.max(0, (widths[at] ?? 0) - displayWidth(text)))
          return isNumber[at] ? blanks + text : text + blanks
        })
        .join(gap)
        .trimEnd(),
    )
  })
}

const widthMin = { start: 10, end: 8, id: 36, fold: 24 } as const

/** Takes from the widest column that may give way, one character at a time, until a line has `max` characters. */
function fittingWidths(
  natural: readonly number[],
  columns: readonly Pick<Column<never>, 'fit'>[],
  max: number,
): number[] {
  const widths = [...natural]
  const total = widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1))
  for (let excess = total - max; excess > 0; excess--) {
    const shrinkable = widths.map((width, at) => {
      const fit = columns[at]?.fit
      return fit !== undefined && width > widthMin[fit] ? width : 0
    })
    const widest = Math.max(...shrinkable)
    if (widest === 0) break
    widths[shrinkable.indexOf(widest)] = widest - 1
  }
  return widths
}

/** The lines of a cell. */
function fitCell(text: string, width: number, fit: Fit | undefined): string[] {
  if (fit === undefined || displayWidth(text) <= width) return [text]
  if (fit === 'fold') return foldText(text, width)
  const graphemes = fit === 'start' ? splitGraphemes(text).reverse() : splitGraphemes(text)
  const shown: string[] = []
  let used = 1
  for (const grapheme of graphemes) {
    used += graphemeWidth(grapheme)
    if (used > width) break
    shown.push(grapheme)
  }
  return [fit === 'start' ? `…${shown.reverse().join('')}` : `${shown.join('')}…`]
}

/** A word that is longer than a line has the whole line. */
function foldText(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line !== '' && displayWidth(longer) > width) {
      lines.push(line)
      line = word
    } else line = longer
  }
  return [...lines, line]
}

const segmenter = new Intl.Segmenter()
const splitGraphemes = (text: string) => Array.from(segmenter.segment(text), ({ segment }) => segment)
/** Emoji, and the scripts whose characters take two columns of a terminal. */
const double =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u
const graphemeWidth = (grapheme: string) => (double.test(grapheme) ? 2 : 1)

function displayWidth(text: string): number {
  // Most cells are ASCII.
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  return splitGraphemes(text).reduce((sum, grapheme) => sum + graphemeWidth(grapheme), 0)
}
