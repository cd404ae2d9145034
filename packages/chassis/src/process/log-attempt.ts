import type { Log } from '../observability/log.ts'

interface AttemptOutcome {
  readonly kind: string
  readonly reason?: string
  readonly error?: { readonly code: string }
}

/** Runs one attempt of a claimed row, and logs its line: `fields`, outcome, reason and duration. */
export async function logAttempt<O extends AttemptOutcome>(
  log: Log,
  fields: Readonly<Record<string, string | number>>,
  attempt: () => Promise<O>,
): Promise<O> {
  const startedAt = performance.now()
  const outcome = await attempt()
  const { kind, reason = outcome.error?.code } = outcome
  const durationMs = Math.round(performance.now() - startedAt)
  log.info({ ...fields, outcome: kind, ...(reason && { reason }), duration_ms: durationMs }, 'attempt')
  return outcome
}
