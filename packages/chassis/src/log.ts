import { type Logger, pino } from 'pino'

export type Log = Logger

/**
 * One line of JSON per request, event or attempt, on standard output. No bodies, no secrets.
 *
 * Lines are gathered and written together, beside the event loop: at most `gatherMs` later, at once after a fatal one, and
 * when the process exits. Not promised: the lines of the last `gatherMs` of a process that is killed, nor any while whoever
 * reads standard output lets more than `waitingBytesMax` wait. What must not be lost is no log line, but an audit record or an event.
 */
const gatherMs = 100
const gatherBytes = 8 * 1024
const waitingBytesMax = 16 * 1024 * 1024

export function createLog(name: string, level: string): Log {
  const standardOutput = pino.destination({
    sync: false,
    minLength: gatherBytes,
    maxLength: waitingBytesMax,
    periodicFlush: gatherMs,
  })
  const base = { name, pid: process.pid }
  const timestamp = pino.stdTimeFunctions.isoTime
  const redact = { paths: ['*.authorization', '*.value', '*.secret', 'headers', '*.headers'], remove: true }
  return pino({ name, level, base, timestamp, redact }, standardOutput)
}

/**
 * The same log for lines of a few plain fields that hold no secret by their nature, such as the one for each request: to look
 * for secrets in a line costs several times what the line does.
 */
export function plain(log: Log): Log {
  return log.child({}, { redact: [] })
}
