import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import { UserError } from './user-error.ts'

/** The kernel uses ports from 32768 up for outgoing connections; a listener there can find its port in use. */
const ephemeralFrom = 32_768
const searchFrom = 10_000
const searchAttemptsMax = 200
const ranges = 16
const rangeLength = Math.floor((ephemeralFrom - searchFrom) / ranges)
let searched = randomInt(rangeLength)

export interface PortUse {
  readonly port: number
  /** The listener, for messages. */
  readonly purpose: string
  /** The environment variable that changes the port. */
  readonly variable: string
}

export function portFrom(
  env: Readonly<Record<string, string | undefined>>,
  variable: string,
  fallback: number,
): number {
  const text = env[variable]
  if (text === undefined || text === '') return fallback
  const port = Number(text)
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535)
    throw new UserError(`${variable} must be a port between 1 and 65535, not "${text}".`)
  return port
}

/** Whether a listener can be opened. Other checks are unreliable. */
export function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)))
  })
}

/** Throws one UserError that names every port in use, its purpose and its variable. */
export async function requireFree(uses: readonly PortUse[]): Promise<void> {
  const taken: string[] = []
  const seen = new Map<number, PortUse>()
  for (const use of uses) {
    const other = seen.get(use.port)
    if (other !== undefined)
      taken.push(
        `Port ${use.port} is configured twice: for ${other.purpose} (${other.variable}) and for ${use.purpose} (${use.variable}).`,
      )
    else if (!(await isFree(use.port)))
      taken.push(
        `Port ${use.port} is in use; it is needed for ${use.purpose}. Free it, or set ${use.variable} to another port.`,
      )
    seen.set(use.port, use)
  }
  if (taken.length > 0) throw new UserError(taken.join('\n'))
}

/**
 * Returns distinct free ports on loopback, below the ephemeral range. Each test worker searches a range of its own, so
 * a port that is free while its server restarts is found by no other worker.
 */
export async function freePorts(count: number): Promise<number[]> {
  const found: number[] = []
  const range = Number(process.env['JEST_WORKER_ID'] ?? process.pid) % ranges
  for (let attempt = 0; attempt < searchAttemptsMax && found.length < count; attempt++) {
    const port = searchFrom + range * rangeLength + (searched++ % rangeLength)
    if (await isFree(port)) found.push(port)
  }
  if (found.length < count)
    throw new UserError(`No ${count} free ports were found between ${searchFrom} and ${ephemeralFrom}.`)
  return found
}
