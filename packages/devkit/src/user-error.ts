/**
 * Something the person at the keyboard can put right: a taken port, a missing program, a broken migration.
 * Its message is all they are shown; anything else that is thrown is a bug and keeps its stack.
 */
export class UserError extends Error {
  override readonly name = 'UserError'
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
