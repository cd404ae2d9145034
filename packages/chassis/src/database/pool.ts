interface Session {
  on(event: 'error', listener: () => void): unknown
}

/** How long a statement or a transaction waits for a connection. */
export const connectionWaitMsMax = 5_000
const statementMsMax = 10_000
/**
 * How long a session waits for the response to a message. The server ends a statement earlier, unless it was lost: its
 * host, or the network between, is silent. Then nothing else ends the session.
 */
export const responseWaitMsMax = statementMsMax + 5_000

/**
 * Settings of the connection pool of every service. One session stays open for jobs, which look twice a minute.
 *
 * A process that stops in a transaction, such as on a paused node, would keep its locks. The server ends its session
 * after `idle_in_transaction_session_timeout`, which no transaction of a running process reaches.
 *
 * A session that the server ends emits `error`. The pool listens while the session is idle, and the adapter of Prisma
 * during a transaction. Between the two there is a moment without a listener, in which the error would end the process.
 * The listener here covers it. The next statement of the session fails, so nothing else has to happen.
 */
export const poolSettings = {
  connectionTimeoutMillis: connectionWaitMsMax,
  min: 1,
  idleTimeoutMillis: 30_000,
  statement_timeout: statementMsMax,
  idle_in_transaction_session_timeout: 15_000,
  onConnect: (session: Session) => {
    session.on('error', () => {})
  },
}
