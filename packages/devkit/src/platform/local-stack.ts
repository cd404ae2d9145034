/**
 * **What it does.** Runs gateway, services and dispatcher as separate processes, as in production.
 *
 * **Guarantees.** The stack is started when every `/readyz` returns 200. An error names the process that is not ready
 * within the deadline and the end of its log. Every process ends with its starter, also when the starter is killed
 * (see process-group.ts).
 *
 * With a supervisor, a process that ends by itself is started again (supervisor.ts).
 *
 * **Not guaranteed.** Without a supervisor, as in tests, nothing is restarted: `died` reports the end, and the caller
 * decides.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { requireFree } from '../machine/ports.ts'
import { compileCache, root } from '../machine/profile.ts'
import { formatError, UserError } from '../machine/user-error.ts'
import { deathReport, exitText, type ProcessGroup, type Running } from '../processes/process-group.ts'
import type { Supervisor } from '../processes/supervisor.ts'
import type { LocalProcessName, ProcessPlan } from './process-plan.ts'

export interface LocalStack {
  readonly pid: (name: LocalProcessName) => number
  readonly logFile: (name: LocalProcessName) => string
  /** Sends a signal. Waits for the end of the process after a signal that ends it. */
  readonly kill: (name: LocalProcessName, signal?: NodeJS.Signals) => Promise<void>
  /** Ends the process if it runs, starts it again and waits until it is ready. */
  readonly restart: (name: LocalProcessName) => Promise<void>
  /** Rejects with a UserError when a process ends by itself, with a supervisor only while the stack starts. */
  readonly died: Promise<never>
  /** Stops the gateway first, which ends new requests, then the other processes together. */
  readonly stop: () => Promise<void>
}

export interface RunOptions {
  readonly plans: readonly ProcessPlan[]
  readonly group: ProcessGroup
  readonly logDirectory: string
  /** Default 3 minutes: a machine that installs RabbitMQ at the same time may need one to load a process. */
  readonly readyTimeoutMs?: number
  /** A dependency that is still starting. The deadline of the processes begins when the dependency is ready. */
  readonly grounds?: {
    readonly ready: Promise<unknown>
    /**
     * Maximum number of processes between launch and listening before the dependency is ready: a start uses the
     * processor.
     */
    readonly startingMax: number
  }
  /** Starts again what ends by itself once it has been ready. */
  readonly supervisor?: Supervisor
  readonly heard?: (name: LocalProcessName, state: 'starting' | 'ready') => void
}

const pollMs = 200
const probeTimeoutMs = 3_000
const stopTimeoutMs = 12_000
const survivable = new Set<NodeJS.Signals>(['SIGSTOP', 'SIGCONT', 'SIGUSR1', 'SIGUSR2', 'SIGWINCH'])

export async function startLocalStack(options: RunOptions): Promise<LocalStack> {
  const { plans, group, readyTimeoutMs = 180_000 } = options
  const starts = limitStarts(options.grounds?.startingMax ?? plans.length)
  void options.grounds?.ready.then(starts.open, () => {})
  await requireFree(plans.flatMap(({ ports }) => ports))
  const running = new Map<LocalProcessName, Running>()
  const expected = new Set<Running>()
  const { promise: died, reject: announce } = Promise.withResolvers<never>()
  died.catch(() => {}) // a caller may ignore it
  const wasReady = new Set<LocalProcessName>()
  const launchOne = (plan: ProcessPlan): Running => {
    const child = launch(plan, group, options.logDirectory)
    running.set(plan.name, child)
    void child.exited.then((exit) => {
      if (expected.has(child)) return
      if (options.supervisor !== undefined && wasReady.has(plan.name))
        void options.supervisor.revive(child, exit, async () => launchOne(plan))
      else announce(new UserError(deathReport(child, `ended by itself (${exitText(exit)})`)))
    })
    return child
  }
  const begin = async (plan: ProcessPlan) => {
    options.heard?.(plan.name, 'starting')
    const child = launchOne(plan)
    await untilResponds(plan, child, readyTimeoutMs, () => true)
    return child
  }
  const up = async (plan: ProcessPlan) => {
    const child = await starts.run(() => begin(plan))
    await options.grounds?.ready
    await untilResponds(plan, child, readyTimeoutMs, ({ ok }) => ok)
    wasReady.add(plan.name)
    options.heard?.(plan.name, 'ready')
  }
  const end = async (child: Running) => {
    expected.add(child)
    await child.stop()
  }
  const child = (name: LocalProcessName) => requireValue(running.get(name), name)
  const stop = async () => {
    for (const one of running.values()) expected.add(one)
    const gateway = running.get('gateway')
    if (gateway !== undefined) await end(gateway)
    await Promise.all([...running.values()].map(end))
  }
  group.atClose(stop)
  await Promise.all(plans.map(up))
  return {
    pid: (name) => child(name).pid,
    logFile: (name) => child(name).logFile,
    async kill(name, signal = 'SIGKILL') {
      const one = child(name)
      if (!survivable.has(signal)) expected.add(one)
      one.kill(signal)
      if (!survivable.has(signal)) await one.exited
    },
    async restart(name) {
      await end(child(name))
      const plan = plans.find((one) => one.name === name)
      await up(requireValue(plan, name))
    },
    died,
    stop,
  }
}

function launch(plan: ProcessPlan, group: ProcessGroup, logDirectory: string): Running {
  const directory = join(root, plan.directory)
  const entry = join(directory, plan.entry)
  if (!existsSync(entry))
    throw new UserError(`${plan.name} is not compiled: ${join(plan.directory, plan.entry)} is missing.`)
  return group.launch({
    name: plan.name,
    command: process.execPath,
    args: [...plan.flags, entry],
    env: { ...compileCache, ...plan.env },
    cwd: directory,
    logFile: join(logDirectory, `${plan.name}.log`),
    stopTimeoutMs,
  })
}

/** Waits until the process responds as expected. The error contains the last response. */
async function untilResponds(
  plan: ProcessPlan,
  child: Running,
  timeoutMs: number,
  isEnough: (response: ProbeResponse) => boolean,
): Promise<void> {
  const deadline = Date.now() + timeoutMs
  let last = 'it did not respond'
  while (!child.hasExited()) {
    const response = await probe(plan.readyUrl)
    if (typeof response !== 'string' && isEnough(response)) return
    last = typeof response === 'string' ? response : response.text
    if (Date.now() > deadline)
      throw new UserError(deathReport(child, `was not ready within ${timeoutMs / 1000} s: ${last}`))
    await delay(pollMs)
  }
  throw new UserError(deathReport(child, `ended while starting (${exitText(await child.exited)})`))
}

interface ProbeResponse {
  readonly ok: boolean
  readonly text: string
}

/** The response, or the reason why there is none. */
async function probe(url: string): Promise<ProbeResponse | string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(probeTimeoutMs), headers: { connection: 'close' } })
    const body = await response.text()
    return { ok: response.ok, text: `${response.status} ${body.slice(0, 500)}` }
  } catch (error) {
    // The error of fetch has the reason in its cause.
    return formatError(error instanceof Error && error.cause instanceof Error ? error.cause : error)
  }
}

/** Runs at most `atOnceMax` tasks at once, in order; after `open`, without a limit. */
function limitStarts(atOnceMax: number) {
  let waiting: (() => void)[] = []
  let free = atOnceMax
  return {
    open() {
      free = Number.POSITIVE_INFINITY
      for (const go of waiting) go()
      waiting = []
    },
    async run<T>(work: () => Promise<T>): Promise<T> {
      if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve))
      else free -= 1
      try {
        return await work()
      } finally {
        const next = waiting.shift()
        if (next === undefined) free += 1
        else next()
      }
    },
  }
}

function requireValue<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new UserError(`There is no process ${name} here.`)
  return value
}
