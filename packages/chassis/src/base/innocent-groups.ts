import type { DigitRun } from './digit-runs.ts'

/**
 * Finds the groups of a run that are no part of a card number: 1 for each group of a date, time, address of IPv4,
 * decimal number, amount or hexadecimal word, in this order. A group that is found belongs to no later form.
 */
export function innocentGroups(text: string, run: DigitRun): Uint8Array {
  const groups = new FreeGroups(text, run)
  for (const form of [dateFromYear, dateToYear, time, ipv4, decimal, amount]) {
    for (let index = 0; index < run.groupCount; ) {
      const count = form(groups, index)
      if (count > 0) groups.found.fill(1, index, index + count)
      index += Math.max(count, 1)
    }
  }
  for (let index = 0; index < run.groupCount; index += 1) groups.found[index] ||= run.hexadecimal[index] ?? 0
  return groups.found
}

/** The groups of a run that no form has found. */
class FreeGroups {
  readonly found: Uint8Array
  readonly #text: string
  readonly #run: DigitRun

  constructor(text: string, run: DigitRun) {
    this.#text = text
    this.#run = run
    this.found = new Uint8Array(run.groupCount)
  }

  isFree(index: number): boolean {
    return this.found[index] === 0
  }

  /** The number of its digits; 0 for a group that is found, and beyond either end. */
  groupLength(index: number): number {
    return this.isFree(index) ? this.#run.groupEnd(index) - (this.#run.firsts[index] ?? 0) : 0
  }

  /** The code unit between the group and the group before; 0 unless both are free. */
  separatorBefore(index: number): number {
    return this.isFree(index) && this.isFree(index - 1) ? (this.#run.separators[index] ?? 0) : 0
  }

  isYear(index: number): boolean {
    if (this.groupLength(index) !== 4) return false
    const first = this.#run.firsts[index] ?? 0
    const { [first]: one = 0, [first + 1]: two = 0 } = this.#run.digits
    return (one === 1 && two === 9) || (one === 2 && two === 0)
  }

  codeBefore(index: number): number {
    return this.#text.charCodeAt((this.#run.starts[index] ?? 0) - 1)
  }

  codeAfter(index: number): number {
    return this.#text.charCodeAt(this.#run.textEnd(index))
  }
}

/** Returns the number of groups from `index` on that have the form; 0 for none. */
type Form = (groups: FreeGroups, index: number) => number

const comma = 0x2c
const dash = 0x2d
const dot = 0x2e
const slash = 0x2f
const colon = 0x3a

/** `2026-11-21`, also with dots or slashes. */
const dateFromYear: Form = (groups, index) =>
  groups.isYear(index) && isDay(groups, index + 1) && isDay(groups, index + 2) && isDate(groups, index) ? 3 : 0

/** `21.11.2026` */
const dateToYear: Form = (groups, index) =>
  isDay(groups, index) && isDay(groups, index + 1) && groups.isYear(index + 2) && isDate(groups, index) ? 3 : 0

const isDay = (groups: FreeGroups, index: number) => isBetween(groups.groupLength(index), 1, 2)

function isDate(groups: FreeGroups, index: number): boolean {
  const separator = groups.separatorBefore(index + 1)
  const isOfDates = separator === dash || separator === dot || separator === slash
  return isOfDates && groups.separatorBefore(index + 2) === separator
}

/** `09:44`, `09:44:31`, `09:44:31.123` */
const time: Form = (groups, index) => {
  if (!isSexagesimal(groups, index + 1) || !isDay(groups, index) || groups.codeBefore(index) === colon) return 0
  const hasSeconds = isSexagesimal(groups, index + 2)
  const hasFraction = hasSeconds && isPoint(groups.separatorBefore(index + 3)) && groups.groupLength(index + 3) <= 9
  const ends = (count: number) => groups.codeAfter(index + count - 1) !== colon
  if (hasFraction && ends(4)) return 4
  if (hasSeconds && ends(3)) return 3
  return ends(2) ? 2 : 0
}

const isSexagesimal = (groups: FreeGroups, index: number) =>
  groups.separatorBefore(index) === colon && groups.groupLength(index) === 2

const ipv4: Form = (groups, index) => {
  if (groups.separatorBefore(index) === dot || groups.separatorBefore(index + 4) === dot) return 0
  for (let part = index; part < index + 4; part += 1) {
    if (!isBetween(groups.groupLength(part), 1, 3) || (part > index && groups.separatorBefore(part) !== dot)) return 0
  }
  return 4
}

/** `2.174033` */
const decimal: Form = (groups, index) => {
  if (groups.separatorBefore(index + 1) !== dot || !isBetween(groups.groupLength(index), 1, 3)) return 0
  return groups.separatorBefore(index) !== dot && groups.separatorBefore(index + 2) !== dot ? 2 : 0
}

/** `4999.00` */
const amount: Form = (groups, index) => {
  if (!isPoint(groups.separatorBefore(index + 1)) || groups.groupLength(index + 1) !== 2) return 0
  if (!isBetween(groups.groupLength(index), 1, 9)) return 0
  return isPoint(groups.separatorBefore(index)) || isPoint(groups.separatorBefore(index + 2)) ? 0 : 2
}

const isPoint = (codeUnit: number) => codeUnit === dot || codeUnit === comma

const isBetween = (value: number, min: number, max: number) => value >= min && value <= max
