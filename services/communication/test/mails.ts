import type { BusinessUnit } from '@payments/contracts/services/business-unit/contract'
import { buildUnit } from '@payments/testing/peers/business-units'
import { type BuiltInTemplate, builtInTemplates } from '../src/domain/built-in-templates.ts'
import type { Item } from '../src/domain/items.ts'
import type { Rendered } from '../src/domain/render.ts'
import { renderTemplate } from '../src/domain/render-template.ts'

/** Built-in messages with values whose words begin with a capital, so that a test can look at the sentences. */

const { business_unit: plainUnit } = buildUnit({ tenantId: 'tenant', businessUnitId: 'unit' })

export const merchant: BusinessUnit = {
  ...plainUnit,
  branding: {
    display_name: 'Berlin Coffee',
    logo_url: 'https://example.com/logo.png',
    primary_color: '#ffd400',
    support_email: 'help@example.com',
  },
}

const required = { amount: 'EUR 12.34', payment_url: 'https://pay.example.com/pay/abc' }
export const allValues: Readonly<Record<string, string>> = {
  ...required,
  payer_name: 'Ada Lovelace',
  description: 'Two bags',
  expires_on: '2026-12-24',
  expires_at: '2026-12-23 09:40 (Central European Time)',
  paid_at: '2026-11-27 16:20 CET',
  reference: 'Order-4711',
  brand: 'Visa',
  last4: '4242',
}

export const twoItems: readonly Item[] = [
  { name: 'Espresso', quantity: 2, amount: 'EUR 10.34' },
  { name: 'Filters', quantity: 1, amount: 'EUR 2.00' },
]

interface Options {
  readonly locale: string
  /** Only the required variables, of a unit without branding. */
  readonly isBare?: boolean
  readonly values?: Readonly<Record<string, string>>
  readonly items?: readonly Item[]
  readonly unit?: BusinessUnit
}

export function renderMail(template: BuiltInTemplate, options: Options): Rendered {
  const { locale, isBare = false, values = isBare ? required : allValues } = options
  const { items = isBare ? [] : twoItems, unit = isBare ? plainUnit : merchant } = options
  const declared = new Set(template.variables.map(({ name }) => name))
  const given = Object.fromEntries(Object.entries(values).filter(([name]) => declared.has(name)))
  return renderTemplate(template, { values: given, items, locale }, unit)
}

export function builtIn(name: string, type = 'EMAIL'): BuiltInTemplate {
  const found = builtInTemplates.find((one) => one.name === name && one.communicationType === type)
  if (found === undefined) throw new Error(`no built-in template ${name} ${type}`)
  return found
}

/** The words that a reader of the HTML sees. */
export const readWords = (html: string) =>
  html
    .replaceAll(/<\/?(?:a|span)\b[^>]*>/g, '')
    .replaceAll(/<head>[\s\S]*?<\/head>|<[^>]+>/g, ' ')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim()
