import { Counter, type Registry } from 'prom-client'

/** dropped: the invitation is not open any more · rejected: communication never takes the mail. */
const outcomes = ['handed_over', 'dropped', 'rejected', 'unavailable'] as const
export type MailOutcome = (typeof outcomes)[number]

export type MailAttempts = Counter<'outcome'>

export function countMailAttempts(registry: Registry): MailAttempts {
  const attempts = new Counter({
    name: 'identity_mails_total',
    help: 'Attempts to hand the mail of a user invitation to communication, by outcome',
    labelNames: ['outcome'],
    registers: [registry],
  })
  // Before the first mail, too: an alert compares two outcomes.
  for (const outcome of outcomes) attempts.inc({ outcome }, 0)
  return attempts
}
