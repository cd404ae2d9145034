/**
 * An error that the user can correct: a port in use, a missing program, a broken migration. The command prints only
 * its message. Every other error is a bug and keeps its stack.
 */
export class UserError extends Error {
  override readonly name = 'UserError'
}

/** A failed connection to a name with several addresses has a message for each of them. */
export function formatError(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(formatError).join('; ')
  return error instanceof Error ? error.message : String(error)
}
