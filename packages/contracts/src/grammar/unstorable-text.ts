/**
 * Whether JSON text has text that PostgreSQL cannot store: U+0000 or half of a surrogate pair, which JSON.stringify
 * escapes.
 */
export function hasUnstorableText(json: string): boolean {
  return /\\u(0000|d[89a-f])/.test(json) && /(^|[^\\])(\\\\)*\\u(0000|d[89a-f])/.test(json)
}

/** Text that PostgreSQL can store: with U+FFFD in place of what it cannot. */
export const storableText = (text: string): string => text.replaceAll(/\0|\p{Surrogate}/gu, '\ufffd')
