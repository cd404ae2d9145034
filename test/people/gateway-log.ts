import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface LoggedRequest {
  readonly msg: string
  readonly method: string
  readonly path: string | null
  readonly status: number
  readonly tenant_id: string | null
  readonly trace_id: string
  /** When the request ended. */
  readonly time: string
  readonly duration_ms: number
}

/** When the request began, as milliseconds since 1970. */
export const startMs = ({ time, duration_ms }: LoggedRequest): number => Date.parse(time) - duration_ms

/** The requests in the log of the gateway, which writes its next line meanwhile. */
export function requestsIn(logDirectory: string): LoggedRequest[] {
  return readFileSync(join(logDirectory, 'gateway.log'), 'utf8')
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.includes('"msg":"request"'))
    .map((line) => JSON.parse(line) as LoggedRequest)
}
