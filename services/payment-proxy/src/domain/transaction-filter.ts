import type { OpenState } from './operation.ts'
import type { Status } from './status.ts'

/** Conditions of a list of transactions, and its page. */
export interface TransactionFilter {
  readonly pendingState: OpenState | undefined
  /** The start of an id or of an external reference. */
  readonly search: string | undefined
  readonly status: Status | undefined
  readonly businessUnitId: string | undefined
  readonly paymentOrchestratorId: string | undefined
  readonly externalReference: string | undefined
  readonly createdAfter: Date | undefined
  /** Exclusive. */
  readonly createdBefore: Date | undefined
  /** Minor units, both inclusive. */
  readonly amountMin: number | undefined
  readonly amountMax: number | undefined
  readonly before: string | undefined
  readonly limit: number
}
