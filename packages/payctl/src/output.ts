import type { Problem } from '@payments/contracts/problem'
import Table from 'cli-table3'

/** Output for programs: one line of JSON on standard output. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}

/** Output for operators. Control characters of foreign text are escaped. */
export function printTable(head: string[], rows: readonly (readonly (string | number | null)[])[]): void {
  const table = new Table({ head, style: { head: [], border: [] } })
  for (const row of rows) table.push(row.map((cell) => printable(String(cell ?? '–'))))
  process.stdout.write(`${table.toString()}\n`)
}

export function printFields(fields: Readonly<Record<string, unknown>>): void {
  const width = Math.max(...Object.keys(fields).map((name) => name.length))
  for (const [name, value] of Object.entries(fields)) {
    process.stdout.write(`${name.padEnd(width)}  ${printable(String(value))}\n`)
  }
}

/** Control characters, line breaks included, as escapes. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`)
}

/** A problem in one line: its summary, its code, and the errors of its fields. */
export function problemText({ title, code, options: { detail: summary = title, errors = [] } }: Problem): string {
  // The summary of an error in one field is that error.
  const fields = errors.filter(({ pointer, detail }) => summary !== `${pointer} ${detail}`)
  return `${summary} (${code})${fields.map(({ pointer, detail }) => `; ${pointer}: ${detail}`).join('')}`
}
