import { type Logger, pino } from 'pino'

export type Log = Logger

/** One line of JSON per request, event or attempt, on standard output. No bodies, no secrets. */
export function createLog(name: string, level: string): Log {
  return pino({
    name,
    level,
    base: { name, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: ['*.authorization', '*.value', '*.secret', 'headers', '*.headers'], remove: true },
  })
}
