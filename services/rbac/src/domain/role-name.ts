/**
 * The name key of a role, unique within its tenant. Names that differ only in compatibility forms (NFKC), case or white
 * space have the same name key. Not covered: similar letters of different scripts.
 *
 * Lower case, upper case and lower case again approximate the case folding of Unicode: `ẞ`, `ß` and `ss` are equal, and
 * both forms of sigma. Tokens name roles by the exact name, never by the name key.
 */
export function roleNameKey(name: string): string {
  const folded = name.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase().normalize('NFKC')
  return folded.replaceAll(/\s+/g, ' ').trim()
}
