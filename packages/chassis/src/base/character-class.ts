/**
 * The class of a code unit of UTF-16 in a search for numbers: a decimal digit of any script as its value from 0 to 9,
 * or one of these. A letter that has two code units counts as two separators.
 */
export const hexLetter = 10
/** Another letter from A to Z. */
export const asciiLetter = 11
const otherLetter = 12
export const separator = 13
/** `,`, `;`, `:` and `+`. */
export const strictSeparator = 14
/** The first of two code units: of a digit, or of a character that counts as two separators. */
const surrogate = 15

const surrogates = { from: 0xd800, to: 0xe000 }
const codePointsEnd = 0x20_000

const { classes, astralDigits } = createTables()

/** The class of the code unit at `index`; beyond either end of the text, the class of a separator. */
export function classAt(text: string, index: number): number {
  return index >= 0 && index < text.length ? (classes[text.charCodeAt(index)] as number) : separator
}

/** The value of the decimal digit of two code units at `index`, whose class is `kind`; undefined for anything else. */
export function astralDigitAt(text: string, index: number, kind: number): number | undefined {
  return kind === surrogate ? astralDigits.get(text.codePointAt(index) as number) : undefined
}

/** Unicode assigns decimal digits in runs from 0 to 9, and none beyond `codePointsEnd`. */
function createTables() {
  const classes = new Uint8Array(0x10_000).fill(separator)
  const astralDigits = new Map<number, number>()
  classes.fill(surrogate, surrogates.from, surrogates.from + 0x400)
  for (const { code, length } of findRuns(/\p{L}+/gu, 0, surrogates.from))
    classes.fill(otherLetter, code, code + length)
  for (const { code, length } of findRuns(/\p{L}+/gu, surrogates.to, classes.length)) {
    classes.fill(otherLetter, code, code + length)
  }
  for (const { code, length } of findRuns(/[A-Z]+/gi, 0, 128)) classes.fill(asciiLetter, code, code + length)
  for (const { code, length } of findRuns(/[A-F]+/gi, 0, 128)) classes.fill(hexLetter, code, code + length)
  for (const { code } of findRuns(/[,;:+]/g, 0, 128)) classes[code] = strictSeparator
  for (const { code, length } of findRuns(/\p{Nd}+/gu, 0, surrogates.from)) {
    for (let i = 0; i < length; i += 1) classes[code + i] = i % 10
  }
  for (const { code, length } of findRuns(/\p{Nd}+/gu, surrogates.to, codePointsEnd)) {
    for (let i = 0; i < length; i += 1) {
      if (code < classes.length) classes[code + i] = i % 10
      else astralDigits.set(code + i, i % 10)
    }
  }
  return { classes, astralDigits }
}

/** The runs of code points from `from` to before `to` that match. */
function* findRuns(form: RegExp, from: number, to: number): Generator<{ code: number; length: number }> {
  let text = ''
  for (let code = from; code < to; code += 1) text += String.fromCodePoint(code)
  for (const [run] of text.matchAll(form)) yield { code: run.codePointAt(0) ?? 0, length: Array.from(run).length }
}
