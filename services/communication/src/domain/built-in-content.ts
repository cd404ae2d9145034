import type { builtInNames } from '@payments/contracts/nouns/communication-text'
import { chooseTexts } from '@payments/texts/by-language'
import type { MessageTexts } from '@payments/texts/texts'
import type { ItemRow } from './items.ts'
import * as html from './mail-html.ts'
import { replacePlaceholders, valueIn } from './placeholders.ts'
import type { CommunicationType, TemplateContent } from './template.ts'

export type BuiltInName = (typeof builtInNames)[number]

/** Messages after a payment. */
type ReceiptName = 'receipt' | 'authorization'

export const isReceipt = (name: BuiltInName | undefined): name is ReceiptName =>
  name === 'receipt' || name === 'authorization'

/** Decides the lines of a message: lines whose value is missing are left out. */
export interface Given {
  readonly locale: string
  /** Whether the variable has a value. */
  has(variable: string): boolean
  /** The number of rows that have the variables of `itemVariables`. Zero: the items, if any, are in `items`. */
  readonly rows: readonly Pick<ItemRow, 'amount'>[]
}

/** Names of the variables of the item at this position. */
export const itemVariables = (position: number) => [`item_${position}`, `item_${position}_amount`] as const

/** A part of a mail, in plain text and as HTML. */
interface Block {
  readonly text: string
  readonly html: string
}

/** Subject, text and HTML of a built-in template in the language of a message, as templates. */
export function builtInContent(
  name: BuiltInName,
  type: CommunicationType,
  given: Given,
): Pick<TemplateContent, 'subject' | 'text' | 'html'> {
  const { direction, messages: texts } = chooseTexts(given.locale)
  if (type === 'SMS') return { subject: null, text: writeSms(texts, name, given), html: null }
  const { subject } = texts[name]
  const blocks = [
    ...branding(given),
    sentence(given.has('payer_name') ? texts.greeting.named : texts.greeting.unnamed),
    ...(isReceipt(name) ? receiptBlocks(texts, name, given) : requestBlocks(texts, name, given)),
    ...(given.has('support_email') ? [support(texts)] : []),
  ]
  const frame = { locale: given.locale, direction, title: subject }
  return {
    subject,
    text: blocks.flatMap(({ text }) => (text === '' ? [] : [text])).join('\n\n'),
    html: html.mailHtml(
      frame,
      blocks.map((block) => block.html),
    ),
  }
}

function requestBlocks(texts: MessageTexts, name: Exclude<BuiltInName, ReceiptName>, given: Given): Block[] {
  const { pay, labels } = texts
  return [
    sentence(texts[name].request),
    ...facts(texts, given.has('description') ? [[labels.purpose, '{{description}}']] : []),
    ...deadline(texts, given).map(sentence),
    { text: pay.line, html: html.button('{{payment_url}}', pay.button) },
  ]
}

function writeSms(texts: MessageTexts, name: BuiltInName, given: Given): string {
  return [texts[name].sms, ...(isReceipt(name) ? [] : deadline(texts, given))].join('\n')
}

/** The end of the link to the minute, or else its day. */
function deadline({ payBy }: MessageTexts, given: Given): string[] {
  const name = ['expires_at', 'expires_on'].find(given.has)
  return name === undefined ? [] : [replacePlaceholders(payBy, () => `{{${name}}}`)]
}

function receiptBlocks(texts: MessageTexts, name: ReceiptName, given: Given): Block[] {
  const { labels, paidWith } = texts
  const values: readonly (readonly [string, string | undefined])[] = [
    [labels.amount, '{{amount}}'],
    [labels.purpose, given.has('description') ? '{{description}}' : undefined],
    [labels.date, ['paid_at', 'paid_on'].filter(given.has).map((name) => `{{${name}}}`)[0]],
    [labels.paidWith, given.has('last4') ? paidWith[given.has('brand') ? 'brandAndDigits' : 'digits'] : undefined],
    [labels.reference, given.has('reference') ? '{{reference}}' : undefined],
  ]
  const known = values.flatMap(([label, value]) => (value === undefined ? [] : [[label, value] as const]))
  return [sentence(texts[name].thanks), ...items(given), ...facts(texts, known)]
}

const sentence = (text: string): Block => ({ text, html: html.paragraph(text) })

function branding({ has }: Given): Block[] {
  const shown = [html.stripe, ...(has('logo_url') ? [html.logo('{{logo_url}}', '{{business_unit_name}}')] : [])]
  return shown.map((written) => ({ text: '', html: written }))
}

function items({ rows, has }: Given): Block[] {
  if (!has('items')) return []
  const cells = rows.map(({ amount }, index) => {
    const [name, sum] = itemVariables(index + 1)
    return [`{{${name}}}`, amount === null ? null : `{{${sum}}}`] as const
  })
  return [{ text: '{{items}}', html: rows.length === 0 ? html.lines('{{items}}') : html.items(cells) }]
}

function facts({ fact }: MessageTexts, known: readonly (readonly [string, string])[]): Block[] {
  if (known.length === 0) return []
  const lines = known.map(([label, value]) => {
    const parts: Record<string, string> = { label, value }
    return replacePlaceholders(fact, (name) => valueIn(parts, name))
  })
  return [{ text: lines.join('\n'), html: html.facts(known) }]
}

function support({ support: text }: MessageTexts): Block {
  const address = '{{support_email}}'
  const linked = text.replace(address, html.link(`mailto:${address}`, address))
  return { text, html: html.note(linked) }
}
