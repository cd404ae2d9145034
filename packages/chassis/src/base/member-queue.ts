/**
 * The waiting callers of a subject: each member, such as a credential of a tenant, in order of arrival, and the members
 * in turns.
 */
export class MemberQueue<Waiter> {
  /** A Map has the order of insertion. A member whose caller was taken is inserted again at the end. */
  readonly #members = new Map<string, Set<Waiter>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  countWaiters(member: string): number {
    return this.#members.get(member)?.size ?? 0
  }

  add(member: string, waiter: Waiter): void {
    const waiting = this.#members.get(member) ?? new Set()
    this.#members.set(member, waiting.add(waiter))
    this.#size += 1
  }

  delete(member: string, waiter: Waiter): void {
    const waiting = this.#members.get(member)
    if (waiting?.delete(waiter) !== true) return
    this.#size -= 1
    if (waiting.size === 0) this.#members.delete(member)
  }

  /** Whether a caller of such a member waits. */
  has(isEligible: (member: string) => boolean): boolean {
    for (const member of this.#members.keys()) if (isEligible(member)) return true
    return false
  }

  /** Removes the caller whose turn it is, of an eligible member. Its member is last then. */
  take(isEligible: (member: string) => boolean): Waiter | undefined {
    for (const [member, waiting] of this.#members) {
      const [first] = waiting
      if (first === undefined || !isEligible(member)) continue
      this.delete(member, first)
      this.#members.delete(member)
      if (waiting.size > 0) this.#members.set(member, waiting)
      return first
    }
    return undefined
  }

  /** The latest caller of the member with the most callers. */
  latest(): { readonly waiter: Waiter; readonly memberCount: number } | undefined {
    let most: ReadonlySet<Waiter> = new Set()
    for (const waiting of this.#members.values()) if (waiting.size > most.size) most = waiting
    const waiter = Array.from(most).at(-1)
    return waiter === undefined ? undefined : { waiter, memberCount: most.size }
  }
}
