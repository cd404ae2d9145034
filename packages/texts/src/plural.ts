/** Texts by the plural forms of a language (`Intl.PluralRules`). `other` stands in for a form without a text. */
export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string }

/** A count with its noun: `createCountFormat('en', { one: 'item', other: 'items' })(3)` is "3 items". */
export function createCountFormat(tag: string, nouns: Plural, separator = ' '): (count: number) => string {
  const rules = new Intl.PluralRules(tag)
  const digits = new Intl.NumberFormat(tag)
  return (count) => `${digits.format(count)}${separator}${nouns[rules.select(count)] ?? nouns.other}`
}
