import { toFormatLocale } from '@payments/contracts/nouns/locale'
import { chooseTexts } from '@payments/texts/by-language'
import { escapeHtml } from './escape-html.ts'
import { replacePlaceholders, valueIn } from './placeholders.ts'
import { oneLine } from './render.ts'

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
/** A half of what a message may have, so that no order is too long for its receipt. */
const bytesMax = 32 * 1024
/** HTML of a row besides its values (mail-html.ts). */
const markupBytes = 450

/** All items up to limits of their number and length, then the number of the others. */
export function itemRows(items: readonly Item[], locale: string): readonly ItemRow[] {
  const { item, moreItems } = chooseTexts(locale).messages
  const number = new Intl.NumberFormat(toFormatLocale(locale))
  const all = items.slice(0, shownMax).map(({ name, quantity, amount }) => {
    const values: Record<string, string> = { name: toPlainLine(name), quantity: number.format(quantity) }
    return { name: fillIn(item, values), amount: toPlainLine(amount) }
  })
  const rows = takeFitting(all)
  const rest = items.length - rows.length
  if (rest === 0) return rows
  const text = moreItems[new Intl.PluralRules(locale).select(rest)] ?? moreItems.other
  return [...rows, { name: fillIn(text, { count: number.format(rest) }), amount: null }]
}

/** The rows in plain text, one per line: the value of the variable `items`. */
export function itemLines(items: readonly Item[], locale: string): string {
  const { fact } = chooseTexts(locale).messages
  const lines = itemRows(items, locale).map(({ name, amount }) =>
    amount === null ? name : fillIn(fact, { label: name, value: amount }),
  )
  return lines.join('\n')
}

function takeFitting(rows: readonly ItemRow[]): readonly ItemRow[] {
  let bytes = 0
  const excess = rows.findIndex((row) => {
    bytes += countBytes(row)
    return bytes > bytesMax
  })
  return excess === -1 ? rows : rows.slice(0, excess)
}

const countBytes = ({ name, amount }: ItemRow) => markupBytes + Buffer.byteLength(escapeHtml(`${name}${amount}`))

/** One line without characters that turn the direction of the text around it, such as the amount. */
const toPlainLine = (value: string) => oneLine(value.replaceAll(/\p{Bidi_Control}/gu, ''))

const fillIn = (text: string, values: Readonly<Record<string, string>>) =>
  replacePlaceholders(text, (name) => valueIn(values, name))
