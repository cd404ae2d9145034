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
