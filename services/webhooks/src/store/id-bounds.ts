/**
 * Ids in their order, with the smallest and the largest one: as values of a statement, they let the planner exclude the
 * partitions of all other days.
 */
export function withBounds(ids: readonly string[]): [ids: string[], min: string | null, max: string | null] {
  const sorted = [...ids].sort()
  return [sorted, sorted[0] ?? null, sorted.at(-1) ?? null]
}
