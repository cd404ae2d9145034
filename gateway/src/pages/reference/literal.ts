/** Notations of a JSON value in the languages of the examples. */
interface Notation {
  readonly indent: string
  readonly key: (name: string) => string
  readonly text: (value: string) => string
  readonly words: Readonly<Record<'true' | 'false' | 'null', string>>
}

const quoted = (quote: string) => (value: string) =>
  quote + JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll(quote, `\\${quote}`) + quote

export const typescriptNotation: Notation = {
  indent: '  ',
  key: (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted("'")(name)),
  text: quoted("'"),
  words: { true: 'true', false: 'false', null: 'null' },
}

export const pythonNotation: Notation = {
  indent: '    ',
  key: (name) => JSON.stringify(name),
  text: (value) => JSON.stringify(value),
  words: { true: 'True', false: 'False', null: 'None' },
}

/** A value of code, in place of a literal. */
export class Code {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A JSON value as a literal, whose lines after the first begin with `margin`. */
export function literal(value: unknown, notation: Notation, margin = ''): string {
  const { indent, key, text, words } = notation
  const inner = margin + indent
  if (value instanceof Code) return value.text
  if (typeof value === 'string') return text(value)
  if (typeof value !== 'object' || value === null) return words[String(value) as 'null'] ?? String(value)
  const isList = Array.isArray(value)
  const items = isList
    ? value.map((item) => literal(item, notation, inner))
    : Object.entries(value).map(([name, item]) => `${key(name)}: ${literal(item, notation, inner)}`)
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  return items.length === 0
    ? open + close
    : `${open}\n${items.map((item) => `${inner}${item},\n`).join('')}${margin}${close}`
}
