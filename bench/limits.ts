/**
 * How closely several gateway replicas keep one request rate together, by the way in which they share it.
 *
 *   npm run bench limits -- [--seconds 10] [--overload 4] [--delay 10]
 *
 * A simulation in virtual time of the gateway's own code (gateway/src/limits): replicas, a shared bucket behind a
 * delay in milliseconds, and requests at `overload` times the rate. The limit of a run is burst + rate × time; a
 * figure is the share of the limit that the fleet admitted. 1.00 is exact, above 1.20 and below 0.80 are misses.
 */
import type { Report } from '#gateway/authorization/lease-client'
import { createFleetRates, reportIntervalMs } from '#gateway/limits/fleet-rates'
import { createRateLimit, type RateLimit } from '#gateway/limits/token-bucket'
import { benchOptions } from './measure/bench-options.ts'
import { roundTo } from './measure/sample-statistics.ts'

const { seconds, overload, delay } = benchOptions({ seconds: 10, overload: 4, delay: 10 })
const key = { perSecond: 200, burst: 400 }
/** Half of an authorization lease: under traffic of API keys, a read for the lease takes the report along. */
const readIntervalMs = 50

/** The replica of a request that arrives at `atMs`, the `nth` of all. */
type Spread = (nth: number, atMs: number, replicas: number) => number

const spreads: Record<string, Spread> = {
  even: (nth, _atMs, replicas) => nth % replicas,
  'nine of ten at one replica': (nth, _atMs, replicas) => (nth % 10 === 0 ? nth % replicas : 0),
  'all at one replica': () => 0,
  'all at one, another each second': (_nth, atMs, replicas) => Math.floor(atMs / 1_000) % replicas,
}

interface Fleet {
  readonly limits: readonly RateLimit[]
  /** Advances the clock by one millisecond. */
  tick(): Promise<void>
}

type Sharing = (replicas: number) => Fleet

const sharings: Record<string, Sharing> = {
  'each replica alone': (replicas) => localFleet(replicas, 1),
  'divided by the replicas': (replicas) => localFleet(replicas, replicas),
  [`shared, reports with reads each ${readIntervalMs} ms`]: (replicas) => sharedFleet(replicas, { withReads: true }),
  [`shared, reports alone after ${reportIntervalMs} ms`]: (replicas) => sharedFleet(replicas, {}),
  'shared, the store fails after 2.5 s': (replicas) => sharedFleet(replicas, { withReads: true, downAfterMs: 2_500 }),
}

for (const [spreadName, spread] of Object.entries(spreads)) {
  const rows: Record<string, Record<string, number>> = {}
  for (const [name, sharing] of Object.entries(sharings)) {
    const row: Record<string, number> = {}
    for (const replicas of [2, 3, 4]) row[`${replicas} replicas`] = await admittedShare(sharing(replicas), spread)
    rows[name] = { ...row, 'burst at one of 4': await burstShare(sharing(4)) }
  }
  console.log(`\n${spreadName}: admitted / limit, ${overload} × ${key.perSecond}/s for ${seconds} s`)
  console.table(rows)
}
process.exit()

async function admittedShare({ limits, tick }: Fleet, spread: Spread): Promise<number> {
  let sent = 0
  let admitted = 0
  for (let atMs = 0; atMs < seconds * 1_000; atMs += 1) {
    for (const due = (atMs * overload * key.perSecond) / 1_000; sent < due; sent += 1) {
      if (limits[spread(sent, atMs, limits.length)]?.take('key').retryAfterSeconds === 0) admitted += 1
    }
    await tick()
  }
  return roundTo(admitted / (key.burst + key.perSecond * seconds), 2)
}

/** One client sends its burst over one connection, one request each millisecond, after a pause. */
async function burstShare({ limits, tick }: Fleet): Promise<number> {
  let admitted = 0
  for (let atMs = 0; atMs < 4_000; atMs += 1) await tick()
  for (let sent = 0; sent < key.burst; sent += 1) {
    if (limits[0]?.take('key').retryAfterSeconds === 0) admitted += 1
    await tick()
  }
  return roundTo(admitted / key.burst, 2)
}

function localFleet(replicas: number, divisor: number): Fleet {
  let clock = 0
  const options = { replicas: () => divisor, now: () => clock }
  return {
    limits: Array.from({ length: replicas }, () => createRateLimit(key, options)),
    tick: async () => {
      clock += 1
    },
  }
}

interface StoreOptions {
  readonly withReads?: boolean
  readonly downAfterMs?: number
}

function sharedFleet(
  replicas: number,
  { withReads = false, downAfterMs = Number.POSITIVE_INFINITY }: StoreOptions,
): Fleet {
  let time = 0
  let waiting: { readonly atMs: number; readonly resume: () => void }[] = []
  const after = (delayMs: number, resume: () => void) => void waiting.push({ atMs: time + delayMs, resume })
  const sleep = () => new Promise<void>((resume) => after(delay / 2, resume))
  const fullAt = new Map<string, number>()
  const live = new Set<string>()
  const send = async ({ body: { replica, requests }, succeed, fail }: Report) => {
    await sleep()
    if (time >= downAfterMs) return fail(new Error('the store is down'))
    live.add(replica)
    const full_in_seconds = requests.map(({ subject, requests: count, per_second }) => {
      const fullAtMs = Math.max(time, fullAt.get(subject) ?? 0) + (count / per_second) * 1_000
      fullAt.set(subject, fullAtMs)
      return (fullAtMs - time) / 1_000
    })
    await sleep()
    succeed({ replicas: live.size, full_in_seconds })
  }
  const clock = { monotonicMs: () => time, after }
  const options = {
    send: (report: Report) => void send(report),
    credential: key,
    tenant: key,
    onChange: () => {},
    clock,
  }
  // Replicas start one after another.
  const fleet = Array.from({ length: replicas }, (_, number) => ({
    rates: createFleetRates(options),
    readAt: Math.round((number * readIntervalMs) / replicas),
  }))
  const readDue = () => {
    for (const member of fleet) {
      if (!withReads || time < member.readAt) continue
      member.readAt = time + readIntervalMs
      const report = member.rates.takeReport()
      if (report !== undefined) void send(report)
    }
  }
  return {
    limits: fleet.map(({ rates }) => rates.credential),
    tick: async () => {
      time += 1
      const due = waiting.filter(({ atMs }) => atMs <= time)
      waiting = waiting.filter(({ atMs }) => atMs > time)
      for (const { resume } of due) resume()
      readDue()
      // Continuations of the reports run before the next millisecond.
      if (due.length > 0) await new Promise(setImmediate)
    },
  }
}
