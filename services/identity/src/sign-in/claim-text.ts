/** OpenID Connect Core 1.0, section 2: a subject has at most 255 characters. */
const charactersMax = 255

/** A claim that is a text which can be stored and compared, such as `sub`. Null for any other value. */
export function claimText(value: unknown): string | null {
  if (typeof value !== 'string' || value === '' || value.length > charactersMax) return null
  // Control characters, and surrogates without their other half.
  return /[\p{Cc}\p{Cs}]/u.test(value) ? null : value
}
