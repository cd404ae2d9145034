/**
 * One owner per profile at a time. The owner runs the servers and processes of the profile. It ends them after its
 * work, after a signal, and after the end of the npm process that started it.
 */
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Profile } from '../machine/profile.ts'
import { UserError } from '../machine/user-error.ts'
import { endRecorded, type ProcessGroup, processGroup } from './process-group.ts'
import { readParent, readStartTime } from './process-table.ts'

const parentPollMs = 1_000

/** The reason with which the work of an owner is interrupted. */
export class Interrupted extends UserError {
  constructor(by: string) {
    super(`Stopped by ${by}.`)
  }
}

/**
 * Runs `work` as the owner of the profile. `prepare` runs first: when it throws, the logs and data of the previous run
 * are unchanged.
 */
export async function asOwner<T>(
  profile: Profile,
  command: string,
  work: (group: ProcessGroup) => Promise<T>,
  prepare: () => Promise<void> = async () => {},
): Promise<T> {
  const release = acquireProfile(profile, command)
  try {
    return await withGroup(work, async () => {
      const records = join(profile.directory, 'processes.json')
      await endRecorded(records)
      await prepare()
      keepOnePreviousLog(profile)
      return processGroup(records)
    })
  } finally {
    release()
  }
}

/** Runs `work` until its end or an interruption. Every launched process has ended before this returns or throws. */
export async function withGroup<T>(
  work: (group: ProcessGroup) => Promise<T>,
  create: () => Promise<ProcessGroup> = async () => processGroup(),
): Promise<T> {
  const interruption = interruptions()
  try {
    const group = await create()
    try {
      return await Promise.race([work(group), interruption.happens])
    } finally {
      await group.close()
    }
  } finally {
    interruption.ignore()
  }
}

/** Each run has its own logs. The logs of the previous run are retained, because they may explain its end. */
function keepOnePreviousLog(profile: Profile): void {
  const logs = join(profile.directory, 'logs')
  const previous = join(profile.directory, 'logs-previous')
  if (!existsSync(logs)) return
  rmSync(previous, { recursive: true, force: true })
  renameSync(logs, previous)
}

/** Throws a UserError that names the running owner. */
export function acquireProfile(profile: Profile, command: string): () => void {
  const file = join(profile.directory, 'owner.json')
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      const descriptor = openSync(file, 'wx', 0o600)
      writeSync(descriptor, JSON.stringify({ pid: process.pid, startedAt: readStartTime(process.pid), command }))
      closeSync(descriptor)
      return () => rmSync(file, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      const owner = readOwner(file)
      if (owner !== undefined && readStartTime(owner.pid) === owner.startedAt)
        throw new UserError(
          `${owner.command} is already running in this folder (process ${owner.pid}). Stop it first, with Ctrl-C in its terminal.`,
        )
      rmSync(file, { force: true })
    }
  }
  throw new UserError(`${file} is being written by two starts. Try again.`)
}

/** Undefined for a file that a killed start wrote in part: the profile has no owner. */
function readOwner(file: string): { pid: number; startedAt: string; command: string } | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as { pid: number; startedAt: string; command: string }
  } catch {
    return undefined
  }
}

/**
 * Interruptions: SIGINT, SIGTERM, SIGHUP and the end of the npm process above this one. The first starts an orderly
 * end. A second Ctrl-C exits at once; the watchdog then ends the children.
 */
function interruptions(): { happens: Promise<never>; ignore: () => void } {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const { promise: happens, reject } = Promise.withResolvers<never>()
  const interrupt = (reason: string) => reject(new Interrupted(reason))
  happens.catch(() => {}) // it may reject after the work has ended
  let received = 0
  const onSignal = (signal: NodeJS.Signals) => {
    received++
    // npm forwards the Ctrl-C that the terminal also sends to this process, so one press may arrive twice.
    if (received > 2) process.exit(130)
    interrupt(signal)
  }
  for (const signal of signals) process.on(signal, onSignal)
  const parents = identifyOwnStarter()
  const timer = setInterval(() => {
    if (process.env['npm_lifecycle_event'] !== undefined && identifyOwnStarter() !== parents)
      interrupt('the end of npm')
  }, parentPollMs)
  timer.unref()
  return {
    happens,
    ignore() {
      clearInterval(timer)
      for (const signal of signals) process.off(signal, onSignal)
    },
  }
}

/** Identifies the starter of this process, also when an older Node has started it again (scripts/bootstrap.mjs). */
function identifyOwnStarter(): string {
  const isAgain = process.env['STARTED_BY_OLDER_NODE'] === String(process.ppid)
  return identifyStarter(isAgain ? process.ppid : process.pid)
}

/**
 * Identifies the starter of a process: the parent, and the parent of the parent when the parent is the shell of npm.
 */
function identifyStarter(pid: number): string {
  const parent = readParent(pid)
  const isShell = /^(ba|da|z|k)?sh$/.test(parent?.name ?? '')
  return `${parent?.pid} ${isShell && parent !== undefined ? readParent(parent.pid)?.pid : ''}`
}
