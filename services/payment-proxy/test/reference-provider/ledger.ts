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
  /** Version 2: where the payer returns to. Absent in version 1. */
  readonly return_url?: string | null
}

interface Authentication {
  readonly version: string
  readonly result: 'authenticated' | 'failed'
  readonly eci: string
  readonly transaction_id: string
}

export interface Entry extends Posted {
  readonly reference: string
  readonly receivedAt: Date
  state: 'succeeded' | 'declined' | 'pending' | 'action_required'
  declineCode: string | null
  /** The address and the end of the time of the payer, while the operation waits. */
  action: { url: string; expires_at: string } | null
  authentication: Authentication | null
}

/** The operations of one account, by their ids. */
export class Ledger {
  readonly entries = new Map<string, Entry>()
  /** Ids that a sync requested before the operation arrived. */
  readonly rejectedIds = new Set<string>()

  /** An operation takes effect once: a repeated one returns its entry. */
  receive(posted: Posted, fault: { declineCode?: string; pending?: boolean; action?: Entry['action'] }): Entry {
    const known = this.entries.get(posted.operation_id)
    if (known !== undefined) return known
    const declineCode =
      fault.declineCode ??
      (posted.amount + (posted.amount_released ?? 0) > this.#left(posted) ? 'amount_limit_exceeded' : null)
    const action = declineCode === null ? (fault.action ?? null) : null
    const open = action !== null ? 'action_required' : fault.pending === true ? 'pending' : 'succeeded'
    const entry: Entry = {
      ...posted,
      reference: `ref_${this.entries.size + 1}_${posted.operation_id}`,
      receivedAt: new Date(),
      state: declineCode !== null ? 'declined' : open,
      declineCode,
      action,
      authentication: null,
    }
    this.entries.set(posted.operation_id, entry)
    return entry
  }

  /** The payer decides at their bank. A decision about an operation that has ended changes nothing. */
  decide(operationId: string, decision: 'confirm' | 'decline'): void {
    const entry = this.entries.get(operationId)
    if (entry?.state !== 'action_required') return
    const isConfirmed = decision === 'confirm'
    entry.state = isConfirmed ? 'succeeded' : 'declined'
    entry.declineCode = isConfirmed ? null : 'authentication_failed'
    const [result, eci] = isConfirmed ? (['authenticated', '05'] as const) : (['failed', '07'] as const)
    entry.authentication = { version: '2.2.0', result, eci, transaction_id: operationId }
    entry.action = null
  }

  /** Ends an operation that waits for the payer, and no other. */
  cancel(operationId: string, reason: string): Entry | undefined {
    const entry = this.entries.get(operationId)
    if (entry?.state !== 'action_required') return entry
    entry.state = 'declined'
    entry.declineCode = reason === 'expired' ? 'authentication_expired' : 'authentication_canceled'
    entry.action = null
    return entry
  }

  findToken({ token, authorization_id }: Posted): string {
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
