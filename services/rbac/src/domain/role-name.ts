/**
 * Under which key the name of a role is unique within its tenant: two names that a reader takes for one have the same key.
 * Compatibility forms (NFKC), case and runs of white space do not count. Not covered: letters of different scripts that look alike.
 *
 * To lower case, to upper case and back is what comes closest to Unicode's case folding: `ẞ`, `ß` and `ss` meet, as do both forms
 * of sigma.
 * Tokens name roles, and are resolved by the exact name, never by its key.
 */
export function roleNameKey(name: string): string {
  const folded = name.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase().normalize('NFKC')
  return folded.replaceAll(/\s+/g, ' ').trim()
}
