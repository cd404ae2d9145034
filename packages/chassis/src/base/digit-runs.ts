import { asciiLetter, astralDigitAt, classAt, hexLetter, separator, strictSeparator } from './character-class.ts'

/**
 * Digits of a text, in groups with one to three separators between two groups. Parallel arrays of numbers that each run
 * uses again: objects would cost several times as much.
 */
export class DigitRun {
  readonly capacity: number
  /** The value of each digit. */
  readonly digits: Uint8Array
  /** The group of each digit. */
  readonly groups: Int32Array
  digitCount = 0
  /** Index of the first digit of each group in the text. */
  readonly starts: Int32Array
  /** Index of the first digit of each group among the digits. */
  readonly firsts: Int32Array
  /** The code unit between a group and the group before; 0 for several, and for the first group. */
  readonly separators: Uint16Array
  /** 1 for a group that is part of a word such as `4f1`. */
  readonly hexadecimal: Uint8Array
  groupCount = 0
  /** Sums of the digits before each one, with every digit of an even or of an odd index counted double (Luhn). */
  readonly #even: Uint32Array
  readonly #odd: Uint32Array

  /** `capacity`: the length of the longest text. */
  constructor(capacity: number) {
    this.capacity = capacity
    this.digits = new Uint8Array(capacity)
    this.groups = new Int32Array(capacity)
    this.starts = new Int32Array(capacity)
    this.firsts = new Int32Array(capacity)
    this.separators = new Uint16Array(capacity)
    this.hexadecimal = new Uint8Array(capacity)
    this.#even = new Uint32Array(capacity + 1)
    this.#odd = new Uint32Array(capacity + 1)
  }

  clear(): void {
    this.digitCount = 0
    this.groupCount = 0
  }

  beginGroup(start: number, before: number, isHexadecimal: boolean): void {
    const index = this.groupCount
    this.starts[index] = start
    this.firsts[index] = this.digitCount
    this.separators[index] = index === 0 ? 0 : before
    this.hexadecimal[index] = isHexadecimal ? 1 : 0
    this.groupCount = index + 1
  }

  addDigit(digit: number): void {
    const index = this.digitCount
    const double = digit < 5 ? digit * 2 : digit * 2 - 9
    this.digits[index] = digit
    this.groups[index] = this.groupCount - 1
    this.#even[index + 1] = (this.#even[index] as number) + (index % 2 === 0 ? double : digit)
    this.#odd[index + 1] = (this.#odd[index] as number) + (index % 2 === 0 ? digit : double)
    this.digitCount = index + 1
  }

  /** Whether a group begins with the digit at this index. */
  isFirst(index: number): boolean {
    return index === 0 || this.groups[index] !== this.groups[index - 1]
  }

  /** Index among the digits after the last digit of the group. */
  groupEnd(group: number): number {
    return group + 1 < this.groupCount ? (this.firsts[group + 1] as number) : this.digitCount
  }

  /** Index in the text after the last digit of the group, or after the first of two code units of that digit. */
  textEnd(group: number): number {
    return (this.starts[group] as number) + this.groupEnd(group) - (this.firsts[group] as number)
  }

  /**
   * Whether the digits from `first` to before `end` pass the Luhn check: the last one counts once, the one before
   * double. Costs the same for every number of digits.
   */
  passesLuhn(first: number, end: number): boolean {
    const sums = end % 2 === 0 ? this.#even : this.#odd
    return ((sums[end] as number) - (sums[first] as number)) % 10 === 0
  }
}

const separatorsMax = 3

/**
 * Finds the runs of digits of every script. A run ends at a letter, a UUID, four separators, and several separators of
 * which one is a comma, semicolon, colon or plus. Reads each code unit a few times, however the text is.
 */
export class DigitRunReader {
  readonly #text: string
  readonly #run: DigitRun
  #at = 0
  #wordEnd = 0
  #isHexadecimal = false

  constructor(text: string, run: DigitRun) {
    this.#text = text
    this.#run = run
  }

  /** The next run of at least `digitsMin` digits, until the next call; undefined at the end of the text. */
  next(digitsMin: number): DigitRun | undefined {
    while (this.#at < this.#text.length) {
      this.#run.clear()
      this.#at = this.#readRun(indexOfDigit(this.#text, this.#at))
      if (this.#run.digitCount >= digitsMin) return this.#run
    }
    return undefined
  }

  /** Reads the run that begins at `start`. Returns the index after it. */
  #readRun(start: number): number {
    let at = start
    let before = 0
    while (at < this.#text.length) {
      if (at >= this.#wordEnd) {
        const uuid = this.#readWord(at)
        if (uuid !== undefined) return uuid + uuidLength
      }
      this.#run.beginGroup(at, before, this.#isHexadecimal)
      const end = this.#readGroup(at)
      const next = nextDigit(this.#text, end)
      if (next === undefined) return end
      before = next === end + 1 ? this.#text.charCodeAt(end) : 0
      at = next
    }
    return at
  }

  /** Returns the end of the group. */
  #readGroup(start: number): number {
    let end = start
    let kind = classAt(this.#text, end)
    for (; kind < hexLetter; kind = classAt(this.#text, end)) {
      this.#run.addDigit(kind)
      end += 1
    }
    // The second code unit of such a digit is a separator, so the group ends.
    const digit = astralDigitAt(this.#text, end, kind)
    if (digit === undefined) return end
    this.#run.addDigit(digit)
    return end + 1
  }

  /**
   * Reads the word whose first digit is at `digit`: letters and digits of ASCII, and digits of other scripts. Returns
   * the start of the UUID that the word is part of.
   */
  #readWord(digit: number): number | undefined {
    let start = digit
    while (start > 0 && classAt(this.#text, start - 1) <= asciiLetter) start -= 1
    let end = start
    let hasLetter = false
    let isHexadecimal = true
    let kind = classAt(this.#text, end)
    for (; kind <= asciiLetter; kind = classAt(this.#text, end)) {
      hasLetter ||= kind >= hexLetter
      isHexadecimal &&= kind <= hexLetter
      end += 1
    }
    // The second code unit of a digit stands after the word.
    if (astralDigitAt(this.#text, end, kind) !== undefined) end += 1
    this.#wordEnd = end
    this.#isHexadecimal = isHexadecimal && hasLetter
    return startOfUuid(this.#text, start, end - start)
  }
}

/** The index of the first digit from `from` on; the length of the text if there is none. */
function indexOfDigit(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const kind = classAt(text, at)
    if (kind < hexLetter || astralDigitAt(text, at, kind) !== undefined) return at
  }
  return text.length
}

/** The index of the digit after the separators from `end` on; undefined where the run ends. */
function nextDigit(text: string, end: number): number | undefined {
  let hasStrict = false
  for (let at = end; at <= end + separatorsMax; at += 1) {
    const kind = classAt(text, at)
    if (kind < hexLetter) return at
    if (kind < separator) return undefined
    if (astralDigitAt(text, at, kind) !== undefined) return at
    hasStrict ||= kind === strictSeparator
    if (hasStrict && at > end) return undefined
  }
  return undefined
}

const uuidWordLengths = [8, 4, 4, 4, 12]
const uuidLength = 36
const hyphen = 0x2d

/** The start of the UUID that a word of this start and length is part of. */
function startOfUuid(text: string, start: number, length: number): number | undefined {
  let offset = 0
  for (const wordLength of uuidWordLengths) {
    if (length === wordLength && isUuidAt(text, start - offset)) return start - offset
    offset += wordLength + 1
  }
  return undefined
}

/** No letter or digit may stand beside a UUID. An underscore may: `order_<UUID>`. */
function isUuidAt(text: string, start: number): boolean {
  let at = start
  for (const length of uuidWordLengths) {
    if (at > start) {
      if (text.charCodeAt(at) !== hyphen) return false
      at += 1
    }
    for (const end = at + length; at < end; at += 1) if (classAt(text, at) > hexLetter) return false
  }
  return !isBeside(text, start - 1) && !isBeside(text, at)
}

function isBeside(text: string, index: number): boolean {
  const kind = classAt(text, index)
  return kind <= asciiLetter || astralDigitAt(text, index, kind) !== undefined
}
