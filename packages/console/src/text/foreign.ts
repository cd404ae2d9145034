/**
 * Text that the platform did not write: names, labels, payloads, responses of receivers. Characters that cannot be seen
 * or that change the order of others (control, bidirectional and zero-width characters) become escapes, so that the
 * reader sees the text that is stored.
 */
const hidden = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

export function foreign(text: string): string {
  return text.replace(hidden, (character) => `\\u${character.codePointAt(0)?.toString(16).padStart(4, '0')}`)
}
