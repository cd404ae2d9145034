/** A list without an order, such as roles or addresses. Null has a meaning, such as every address. */
type Elements = readonly string[] | null

interface ListChange<List> {
  /** The list when the form opened. */
  readonly opened: List
  readonly chosen: List
  /** The list now: another person may have changed it. */
  readonly current: List
}

/**
 * The list after the change of a form: what another person has taken or given meanwhile stays so. Null is no list to
 * combine: then the choice of the form counts.
 */
export function listAfter(change: ListChange<readonly string[]>): string[]
export function listAfter(change: ListChange<Elements>): string[] | null
export function listAfter({ opened, chosen, current }: ListChange<Elements>): string[] | null {
  if (chosen === null || current === null) return chosen === null ? null : [...chosen]
  const before = new Set(opened)
  const stays = current.filter((each) => chosen.includes(each) || !before.has(each))
  const added = chosen.filter((each) => !before.has(each) && !current.includes(each))
  return [...stays, ...added]
}

/** The chosen texts after one of them was ticked or not. */
export const withChoice = (chosen: readonly string[], one: string, isChosen: boolean): string[] =>
  isChosen ? [...chosen, one] : chosen.filter((each) => each !== one)

type Values = Readonly<Record<string, unknown>>

/** The merge patch (RFC 7396) from one object to another: null removes a member. Lists change as a whole. */
export function buildMergePatch(before: Values, after: Values): Record<string, unknown> {
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(after, name))
  const changed = Object.entries(after).filter(([name, value]) => !isSame(before[name], value))
  return Object.fromEntries([
    ...removed.map((name) => [name, null]),
    ...changed.map(([name, value]) => [name, patchValue(before[name], value)]),
  ])
}

const patchValue = (before: unknown, after: unknown) =>
  isObject(before) && isObject(after) ? buildMergePatch(before, after) : after

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Of JSON values. */
export const isSame = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right)
