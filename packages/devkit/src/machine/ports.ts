import { randomInt } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { UserError } from './user-error.ts'

type Environment = Readonly<Record<string, string | undefined>>

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

export function portFrom(env: Environment, variable: string, fallback: number): number {
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
 * Returns the environment with the variables of ports that differ from their default. A port that the environment does
 * not name is the one of `stored`, a file that an earlier call has written, or the default; where that port is in use,
 * it is a free one, and `say` gets a line. Listeners of one variable have successive ports. Throws one UserError for
 * all named ports in use, and for the ports of `promised`, which are never replaced.
 */
export async function choosePorts(
  env: Environment,
  uses: readonly PortUse[],
  { promised = [], stored, say }: { promised?: readonly string[]; stored?: string; say: (line: string) => void },
): Promise<Environment> {
  const isFixed = ({ variable }: PortUse) => Boolean(env[variable]) || promised.includes(variable)
  await requireFree(uses.filter(isFixed))
  const before = stored === undefined ? {} : readStored(stored)
  const taken = new Set(uses.filter(isFixed).map(({ port }) => port))
  const chosen: Record<string, string> = {}
  const free = uses.filter((use) => !isFixed(use))
  for (const variable of new Set(free.map((use) => use.variable))) {
    const own = free.filter((use) => use.variable === variable)
    const fallback = Math.min(...own.map(({ port }) => port))
    const wanted = Number(before[variable] ?? fallback)
    const port = await freePortFrom(wanted, own.length, taken)
    if (port !== wanted) say(`Port ${wanted} is in use: port ${port} is for ${own[0]?.purpose} (${variable})`)
    for (const at of own.keys()) taken.add(port + at)
    if (port !== fallback) chosen[variable] = String(port)
  }
  if (stored !== undefined) writeFileSync(stored, JSON.stringify(chosen))
  return { ...env, ...chosen }
}

/** Empty for a missing file, and for one that a killed start wrote in part. */
function readStored(file: string): Environment {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Environment
  } catch {
    return {}
  }
}

/** The first of `count` successive free ports: `wanted`, if they are free and not `taken`. */
async function freePortFrom(wanted: number, count: number, taken: ReadonlySet<number>): Promise<number> {
  for (let attempt = 0; attempt < searchAttemptsMax; attempt++) {
    const first = attempt === 0 ? wanted : nextSearchedPort()
    const ports = Array.from({ length: count }, (_, at) => first + at)
    const free = await Promise.all(ports.map(async (port) => !taken.has(port) && (await isFree(port))))
    if (free.every(Boolean)) return first
  }
  throw noneFound(count)
}

/**
 * Returns distinct free ports on loopback, below the ephemeral range. Each test worker searches its own range, so
 * a port that is free while its server restarts is found by no other worker.
 */
export async function freePorts(count: number): Promise<number[]> {
  const found: number[] = []
  for (let attempt = 0; attempt < searchAttemptsMax && found.length < count; attempt++) {
    const port = nextSearchedPort()
    if (await isFree(port)) found.push(port)
  }
  if (found.length < count) throw noneFound(count)
  return found
}

function nextSearchedPort(): number {
  const range = Number(process.env['JEST_WORKER_ID'] ?? process.pid) % ranges
  return searchFrom + range * rangeLength + (searched++ % rangeLength)
}

const noneFound = (count: number) =>
  new UserError(`No ${count} free ports were found between ${searchFrom} and ${ephemeralFrom}.`)
