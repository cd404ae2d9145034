import { hash } from 'node:crypto'

/** An order that looks random and depends on the set of keys and the seed only, not on the order of `items`. */
export function shuffle<T>(items: readonly T[], readKey: (item: T) => string, seed: number): T[] {
  return items
    .map((item) => ({ item, place: hash('sha256', `${seed} ${readKey(item)}`) }))
    .sort((one, other) => (one.place < other.place ? -1 : 1))
    .map(({ item }) => item)
}
