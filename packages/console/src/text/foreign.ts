/**
 * Text that the platform did not write: names, labels, payloads, responses of receivers. Characters that cannot be seen
 * or that change the order of others (control, bidirectional and zero-width characters) become escapes, so that the
 * reader sees the text that is stored. A joiner stays where its effect is seen: between two emoji, and after a letter
 * of a script whose letters join (Persian, Hindi).
 */
const hidden =
  /(?![\n\t])(?!(?<=\p{Extended_Pictographic}[\p{Emoji_Modifier}\u{fe0f}]?)\u{200d}\p{Extended_Pictographic})(?!(?<=(?![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Inherited}])[\p{L}\p{M}])[\u{200c}\u{200d}][\p{L}\p{M}])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

export function foreign(text: string): string {
  return text.replace(hidden, (character) => `\\u${character.codePointAt(0)?.toString(16).padStart(4, '0')}`)
}
