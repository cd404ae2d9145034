/**
 * Whether JSON text has text that PostgreSQL cannot store: U+0000 or half of a surrogate pair, which JSON.stringify
 * escapes.
 */
export function hasUnstorableText(json: string): boolean {
  return /\\u(0000|d[89a-f])/.test(json) && /(^|[^\\])(\\\\)*\\u(0000|d[89a-f])/.test(json)
}
