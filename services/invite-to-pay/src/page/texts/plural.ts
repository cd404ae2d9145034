/** Forms of a noun by the plural categories of CLDR. `other` is used where a category has no form. */
type Forms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string }

/** A count with its noun: `createCountFormat('en', { one: 'item', other: 'items' })(3)` is "3 items". */
export function createCountFormat(tag: string, forms: Forms, separator = ' '): (count: number) => string {
  const rules = new Intl.PluralRules(tag)
  const digits = new Intl.NumberFormat(tag)
  return (count) => `${digits.format(count)}${separator}${forms[rules.select(count)] ?? forms.other}`
}
