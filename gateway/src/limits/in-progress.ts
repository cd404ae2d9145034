interface Entry<T> {
  readonly value: T
  index: number
}

/**
 * Calls or waits in progress, in any order. The last entry takes the index of one that is removed.
 *
 * Not a Set: a Set whose entries come and go replaces its table time and again. V8 promotes the replaced tables, and
 * the requests that they reference then live until the next full collection (docs/performance.md).
 */
export class InProgress<T> implements Iterable<T> {
  readonly #entries: Entry<T>[] = []

  get size(): number {
    return this.#entries.length
  }

  /** Returns the function that removes the value, to be called once. */
  add(value: T): () => void {
    const entry = { value, index: this.#entries.length }
    this.#entries.push(entry)
    return () => this.#remove(entry)
  }

  #remove({ index }: Entry<T>): void {
    const last = this.#entries.pop()
    if (last === undefined || index === this.#entries.length) return
    this.#entries[index] = last
    last.index = index
  }

  *[Symbol.iterator](): Iterator<T> {
    for (const { value } of this.#entries) yield value
  }
}
