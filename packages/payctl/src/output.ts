import type { Problem } from '@payments/contracts/grammar/problem'

/**
 * Characters that a terminal obeys, or that hide or reorder the text around them: control characters, line separators,
 * zero-width characters, directions of text, tags and lone surrogates.
 */
const unprintable =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu

/** Output for programs: one line of JSON on standard output. A terminal may show it, so escapes are valid JSON. */
export function printJson(value: unknown): void {
  const escaped = JSON.stringify(value).replaceAll(unprintable, (character) =>
    Array.from({ length: character.length }, (_, at) => `\\u${hex(character.charCodeAt(at), 4)}`).join(''),
  )
  process.stdout.write(`${escaped}\n`)
}

export function printFields(fields: object): void {
  const names = Object.keys(fields).map(printable)
  const width = Math.max(...names.map((name) => name.length))
  for (const [at, value] of Object.values(fields).entries()) {
    const shown: unknown = value ?? '–'
    process.stdout.write(`${names[at]?.padEnd(width)}  ${printable(String(shown))}\n`)
  }
}

/** The result of a command: as JSON, or as its fields. */
export function printResult(result: object, json: true | undefined, fields: object = result): void {
  if (json) printJson(result)
  else printFields(fields)
}

/** Text that others wrote, with escapes in place of line breaks and characters that change what a terminal shows. */
export function printable(text: string): string {
  return text.replaceAll(unprintable, (character) => {
    const point = character.codePointAt(0) ?? 0
    return point > 0xff ? `\\u{${hex(point, 4)}}` : `\\x${hex(point, 2)}`
  })
}

const hex = (number: number, digits: number) => number.toString(16).padStart(digits, '0')

/** A problem in one line: its summary, its code, and the errors of its fields. */
export function problemText({ title, code, options: { detail: summary = title, errors = [] } }: Problem): string {
  // The summary of an error in one field is that error.
  const fields = errors.filter(({ pointer, detail }) => summary !== `${pointer} ${detail}`)
  return `${summary} (${code})${fields.map(({ pointer, detail }) => `; ${pointer}: ${detail}`).join('')}`
}

/** A field for each row: `session 1`. */
export const numberFields = (name: string, rows: readonly object[]) =>
  Object.fromEntries(rows.map((row, at) => [`${name} ${at + 1}`, JSON.stringify(row)]))
