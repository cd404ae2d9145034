/**
 * Finds rows by an address that is stored as it was written. SQL cannot compute the key of a domain, so SQL selects the
 * rows that may match, and JavaScript decides by the key. ASCII letters are folded whatever the locale of the database.
 */

/** SQL: an address with ASCII letters in lower case, without a domain that is not ASCII. */
export const storedAddress = (expression: string): string =>
  String.raw`regexp_replace(lower((${expression}) COLLATE "C"), '@[^@]*[^\u0001-\u007f][^@]*$', '@')`

/** The values of `storedAddress` at the rows that may have the address with this key. */
export function listStoredAddresses(key: string): string[] {
  const at = key.lastIndexOf('@')
  return at < 0 ? [key] : [key, key.slice(0, at + 1)]
}
