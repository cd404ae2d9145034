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

/** The name as a payer reads it. Null for an identifier without one: `unknown`, or `ach`, which is no brand. */
export const brandNameOf = (identifier: string): string | null =>
  names.get(
    identifier
      .trim()
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '_'),
  ) ?? null
