/**
 * An error that the user can correct: a port in use, a missing program, a broken migration. The command prints only
 * its message. Every other error is a bug and keeps its stack.
 */
export class UserError extends Error {
  override readonly name = 'UserError'
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
