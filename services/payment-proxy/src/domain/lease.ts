import { awaitsPayer, type Operation } from './operation.ts'

/**
 * Longer than the provider's time-out and typical transactions around it. A later record finds an ended operation, or
 * one still open, which it completes.
 */
export const leaseMs = 20_000

export function leaseUntil(now: Date): Date {
  return new Date(now.getTime() + leaseMs)
}

/**
 * The open operation with the lease of a process that calls the provider about it. A sync and a cancellation of a
 * payment that waits for the payer never run at once: either could change the outcome that the other one reads.
 */
export function leaseOperation(operation: Operation, now: Date): Operation {
  const state = awaitsPayer(operation) ? 'in_progress' : operation.state
  return { ...operation, state, attemptCount: operation.attemptCount + 1, dueAt: leaseUntil(now) }
}

/**
 * Whether one process at a time works on the open operation, since its work may send, cancel or confirm it. The outcome
 * of any other is only read, by several processes at once.
 */
export function requiresOwnLease(operation: Operation): boolean {
  return operation.state === 'in_progress' || awaitsPayer(operation)
}
