/**
 * One profile, one owner at a time. The owner runs the profile's servers and processes and ends them when it is done, told to stop,
 * or left behind by the npm that started it.
 */
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { endRecorded, type ProcessGroup, processGroup } from './process-group.ts'
import { parentOf, startTimeOf } from './process-table.ts'
import type { Profile } from './profile.ts'
import { UserError } from './user-error.ts'

const parentPollMs = 1_000

/** Thrown into the work of an owner that was told to stop. */
export class Interrupted extends UserError {
  constructor(by: string) {
    super(`Stopped by ${by}.`)
  }
}

/**
 * Runs `work` as the owner of the profile. Whatever it launched is ended before this returns or throws. `prepare` comes first: where
 * it throws, nothing of the previous run has been touched, its logs least of all.
 */
export async function asOwner<T>(
  profile: Profile,
  command: string,
  work: (group: ProcessGroup) => Promise<T>,
  prepare: () => Promise<void> = async () => {},
): Promise<T> {
  const release = claim(profile, command)
  const interruption = interruptions()
  try {
    const records = join(profile.directory, 'processes.json')
    await endRecorded(records)
    await prepare()
    keepOnePreviousLog(profile)
    const group = processGroup(records)
    try {
      return await Promise.race([work(group), interruption.happens])
    } finally {
      await group.close()
    }
  } finally {
    interruption.ignore()
    release()
  }
}

/** Each run has logs of its own; those of the run before are kept, since they may be the ones that tell why it ended. */
function keepOnePreviousLog(profile: Profile): void {
  const logs = join(profile.directory, 'logs')
  const previous = join(profile.directory, 'logs-previous')
  if (!existsSync(logs)) return
  rmSync(previous, { recursive: true, force: true })
  renameSync(logs, previous)
}

/** Throws a UserError that names the running owner. */
export function claim(profile: Profile, command: string): () => void {
  const file = join(profile.directory, 'owner.json')
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      const descriptor = openSync(file, 'wx', 0o600)
      writeSync(descriptor, JSON.stringify({ pid: process.pid, startedAt: startTimeOf(process.pid), command }))
      closeSync(descriptor)
      return () => rmSync(file, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      const owner = readOwner(file)
      if (owner !== undefined && startTimeOf(owner.pid) === owner.startedAt)
        throw new UserError(
          `${owner.command} is already running in this folder (process ${owner.pid}). Stop it first, with Ctrl-C in its terminal.`,
        )
      rmSync(file, { force: true })
    }
  }
  throw new UserError(`${file} is being fought over by two starts. Try again.`)
}

/** Undefined: half-written by a start that was killed, so that nobody owns the profile. */
function readOwner(file: string): { pid: number; startedAt: string; command: string } | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as { pid: number; startedAt: string; command: string }
  } catch {
    return undefined
  }
}

/**
 * SIGINT, SIGTERM, SIGHUP, and the death of the npm that runs us. The first asks for an orderly end; a second Ctrl-C leaves at once
 * and the rest to the watchdog.
 */
function interruptions(): { happens: Promise<never>; ignore: () => void } {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  let interrupt: (reason: string) => void = () => {}
  const happens = new Promise<never>((_, reject) => {
    interrupt = (reason) => reject(new Interrupted(reason))
  })
  happens.catch(() => {}) // it may come while nobody waits for it any more
  let received = 0
  const onSignal = (signal: NodeJS.Signals) => {
    received++
    // npm passes on the Ctrl-C that the terminal has sent us too, so that one press may arrive twice.
    if (received > 2) process.exit(130)
    interrupt(signal)
  }
  for (const signal of signals) process.on(signal, onSignal)
  const parents = startersOf(process.pid)
  const timer = setInterval(() => {
    if (process.env['npm_lifecycle_event'] !== undefined && startersOf(process.pid) !== parents)
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

/** Who started us, as a mark that changes when they die: the parent, and when that is only the shell npm uses, its parent too. */
function startersOf(pid: number): string {
  const parent = parentOf(pid)
  const isShell = /^(ba|da|z|k)?sh$/.test(parent?.name ?? '')
  return `${parent?.pid} ${isShell && parent !== undefined ? parentOf(parent.pid)?.pid : ''}`
}
