interface Session {
  on(event: 'error', listener: () => void): unknown
}

/**
 * How every service's pool of database sessions is set. Without a limit of its own it holds ten.
 *
 * A session that the server ends emits `error`. The pool listens while it is idle and Prisma's adapter while a transaction has it, and
 * for a moment between the two nobody does: then the error would end the process, and with it whatever else is under way. Whoever uses
 * the session learns of its end from the statement that fails, so nothing is left to do here.
 */
export const poolSettings = {
  connectionTimeoutMillis: 5_000,
  idleTimeoutMillis: 30_000,
  statement_timeout: 10_000,
  onConnect: (session: Session) => {
    session.on('error', () => {})
  },
}
