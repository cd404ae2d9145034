/** Names of card brands by the identifiers that payment providers send. */
const names: ReadonlyMap<string, string> = new Map([
  ['visa', 'Visa'],
  ['mastercard', 'Mastercard'],
  ['maestro', 'Maestro'],
  ['amex', 'American Express'],
  ['american_express', 'American Express'],
  ['discover', 'Discover'],
  ['diners', 'Diners Club'],
  ['diners_club', 'Diners Club'],
  ['jcb', 'JCB'],
  ['unionpay', 'UnionPay'],
  ['union_pay', 'UnionPay'],
  ['cartes_bancaires', 'Cartes Bancaires'],
  ['eftpos_au', 'eftpos'],
  ['girocard', 'girocard'],
  ['dankort', 'Dankort'],
])

/** Texts of providers in place of a brand: `ach` is the type of a payment method. */
const noBrands: ReadonlySet<string> = new Set(['', 'unknown', 'other', 'ach'])

/** The name as a payer reads it: a brand that we do not know, as the provider writes it. Null for no brand. */
export function formatBrand(identifier: string): string | null {
  const written = identifier.trim()
  const key = written.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')
  return noBrands.has(written.toLowerCase()) ? null : (names.get(key) ?? written)
}
