import { type DestinationStream, type Logger, pino } from 'pino'
import { redactSecrets } from '../base/redact.ts'

export type Log = Logger

/**
 * One JSON line per event or attempt, and per request that request-filter.ts selects, on standard output. No bodies, no
 * secrets, and no card numbers or credentials: the line is inspected as a whole.
 *
 * Lines are buffered and written asynchronously, at most `bufferMs` later. A fatal line and the exit of the process
 * flush the buffer.
 *
 * **Not guaranteed.** The last `bufferMs` of a killed process. Lines beyond `bufferBytesMax`, if the reader of standard
 * output is slow. Data that must not be lost belongs in an audit record or an event.
 */
const bufferMs = 100
const flushBytes = 8 * 1024
const bufferBytesMax = 16 * 1024 * 1024

export function createLog(name: string, level: string, destination: DestinationStream = standardOutput()): Log {
  const base = { name, pid: process.pid }
  const timestamp = pino.stdTimeFunctions.isoTime
  const redact = { paths: ['*.authorization', '*.value', '*.secret', 'headers', '*.headers'], remove: true }
  return pino({ name, level, base, timestamp, redact, hooks: { streamWrite: redactSecrets } }, destination)
}

function standardOutput(): DestinationStream {
  return flushedAfterLines(pino.destination({ sync: false, minLength: flushBytes, maxLength: bufferBytesMax }))
}

type Destination = ReturnType<typeof pino.destination>

/**
 * Flushes the buffer `bufferMs` after a line. The periodic flush of pino writes ten times a second in an idle process
 * too, each time by a thread.
 */
export function flushedAfterLines(destination: Destination): Destination {
  const write = destination.write.bind(destination)
  let timer: NodeJS.Timeout | undefined
  let lines = 0
  let linesAtDrain = 0
  const schedule = () => {
    timer ??= setTimeout(() => {
      timer = undefined
      // A destination that has ended throws, before it emits `close`.
      if (!('destroyed' in destination && destination.destroyed)) destination.flush()
    }, bufferMs).unref()
  }
  // Lines that came during a write stay in the buffer, also when the timer fired meanwhile.
  destination.on('drain', () => {
    if (lines !== linesAtDrain) schedule()
    linesAtDrain = lines
  })
  destination.write = (line: string) => {
    lines += 1
    schedule()
    return write(line)
  }
  return destination
}

/**
 * The same log without redaction, for lines of a few plain fields that never contain a secret, such as the line of each
 * request. Redaction costs several times as much as such a line.
 */
export function plain(log: Log): Log {
  return log.child({}, { redact: [] })
}
