type Type = 'authorize' | 'capture' | 'void' | 'refund'

export interface Posted {
  readonly operation_id: string
  readonly type: Type
  readonly amount: number
  readonly amount_released?: number
  readonly currency: string
  readonly authorization_id: string
  readonly authorization_reference: string | null
  readonly payment_method?: string
  readonly token?: string
}

export interface Entry extends Posted {
  readonly reference: string
  readonly receivedAt: Date
  state: 'succeeded' | 'declined' | 'pending'
  declineCode: string | null
}

/** The operations of one account, by their ids. */
export class Ledger {
  readonly entries = new Map<string, Entry>()
  /** Ids that a sync requested before the operation arrived. */
  readonly rejectedIds = new Set<string>()

  /** An operation takes effect once: a repeated one returns its entry. */
  receive(posted: Posted, fault: { declineCode?: string; pending?: boolean }): Entry {
    const known = this.entries.get(posted.operation_id)
    if (known !== undefined) return known
    const declineCode =
      fault.declineCode ??
      (posted.amount + (posted.amount_released ?? 0) > this.#left(posted) ? 'amount_limit_exceeded' : null)
    const entry: Entry = {
      ...posted,
      reference: `ref_${this.entries.size + 1}_${posted.operation_id}`,
      receivedAt: new Date(),
      state: declineCode !== null ? 'declined' : fault.pending === true ? 'pending' : 'succeeded',
      declineCode,
    }
    this.entries.set(posted.operation_id, entry)
    return entry
  }

  tokenOf({ token, authorization_id }: Posted): string {
    return token ?? this.entries.get(authorization_id)?.token ?? ''
  }

  /** The amount that an operation of this type may still have. */
  #left({ type, authorization_id }: Posted): number {
    const sum = (of: Type, released = true) =>
      [...this.entries.values()]
        .filter((one) => one.authorization_id === authorization_id && one.type === of && one.state === 'succeeded')
        .reduce((total, one) => total + one.amount + (released ? (one.amount_released ?? 0) : 0), 0)
    if (type === 'authorize') return Number.POSITIVE_INFINITY
    if (type === 'refund') return sum('capture', false) - sum('refund')
    return sum('authorize') - sum('capture') - sum('void')
  }
}
