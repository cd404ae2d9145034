import { replacePlaceholders } from './placeholders.ts'
import { oneLine } from './render.ts'
import { textsOf } from './texts/by-language.ts'

/** A line of an order. */
export interface Item {
  readonly name: string
  readonly quantity: number
  /** Sum of the item, formatted for the payer. */
  readonly amount: string
}

/** A line as a message shows it. Without an amount: the number of items that the message does not show. */
export interface ItemRow {
  readonly name: string
  readonly amount: string | null
}

const shownMax = 50

/** All items up to a limit, then the number of the others. */
export function itemRows(items: readonly Item[], locale: string): ItemRow[] {
  const { item, moreItems } = textsOf(locale)
  const number = new Intl.NumberFormat(locale)
  const rows = items.slice(0, shownMax).map(({ name, quantity, amount }) => {
    const values: Record<string, string> = { name: plain(name), quantity: number.format(quantity) }
    return { name: filled(item, values), amount: plain(amount) }
  })
  const rest = items.length - rows.length
  if (rest === 0) return rows
  const text = moreItems[new Intl.PluralRules(locale).select(rest)] ?? moreItems.other
  return [...rows, { name: filled(text, { count: number.format(rest) }), amount: null }]
}

/** The rows in plain text, one per line: the value of the variable `items`. */
export function itemLines(items: readonly Item[], locale: string): string {
  const { fact } = textsOf(locale)
  const lines = itemRows(items, locale).map(({ name, amount }) =>
    amount === null ? name : filled(fact, { label: name, value: amount }),
  )
  return lines.join('\n')
}

/** One line without characters that turn the direction of the text around it, such as that of the amount. */
const plain = (value: string) => oneLine(value.replaceAll(/\p{Bidi_Control}/gu, ''))

const filled = (text: string, values: Readonly<Record<string, string>>) =>
  replacePlaceholders(text, (name) => values[name] ?? '')
