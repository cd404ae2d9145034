import { text } from './field.ts'

const lengthMax = 200
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u

/**
 * A name that is unique among the resources of a tenant. The visible text is the whole name: no invisible characters,
 * no reordering, no white space at the ends.
 */
export const uniqueName = text(lengthMax)
  .refine((name) => !invisible.test(name), 'must have no control, format or invisible characters')
  .refine((name) => name === name.trim(), 'must not begin or end with white space')
  .refine((name) => name.normalize('NFKC').length <= lengthMax, 'must have at most 200 characters in NFKC')

/**
 * The name key, which is stored and unique. Names that differ only in compatibility forms (NFKC), case or white space
 * have the same name key. Not covered: similar letters of different scripts.
 *
 * Lower case, upper case and lower case again approximate the case folding of Unicode: `ẞ`, `ß` and `ss` are equal, and
 * both forms of sigma.
 */
export function nameKey(name: string): string {
  const folded = name.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase().normalize('NFKC')
  return folded.replaceAll(/\s+/g, ' ').trim()
}
