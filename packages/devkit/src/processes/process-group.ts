/**
 * **What it does.** Starts and ends child processes. Each long-lived child leads its own process group, so Ctrl-C in
 * the terminal reaches only the starter, which ends the children in order.
 *
 * **Participants.** The starter; the watchdog (scripts/watchdog.mjs), which ends the children of a killed starter; the
 * record of pids and start times in the profile, by which the next start ends children that the watchdog missed.
 *
 * **Guarantees.** A child is ended by its recorded pid, never by its name, and never when the pid belongs to another
 * process. The rest of its group ends after it: the workers of jest survive jest.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Environment, root } from '../machine/profile.ts'
import { writePrivately } from '../machine/secrets.ts'
import { UserError } from '../machine/user-error.ts'
import { readStartTime, signalTo } from './process-table.ts'

const pollMs = 25

interface LaunchOptions {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly env: Environment
  /** File of its output; without a file, the output of this process. */
  readonly logFile?: string
  readonly cwd?: string
  readonly user?: { readonly uid: number; readonly gid: number } | undefined
  readonly stopSignal?: NodeJS.Signals
  readonly stopTimeoutMs?: number
}

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface Running {
  readonly name: string
  readonly pid: number
  readonly logFile: string
  /** By the monotonic clock of this process. */
  readonly startedAtMs: number
  readonly exited: Promise<Exit>
  readonly hasExited: () => boolean
  /** Sends a signal to the process itself, for tests that kill and pause. */
  readonly kill: (signal: NodeJS.Signals) => void
  /**
   * Sends the stop signal to the process, then to the rest of its group. After the limit, the group gets SIGKILL.
   * Idempotent.
   */
  readonly stop: () => Promise<void>
}

interface Recorded {
  readonly name: string
  readonly pid: number
  readonly startedAt: string
  readonly signal: NodeJS.Signals
}

/** The children of one starter. */
export interface ProcessGroup {
  /** Throws after `close` was called, so that no child starts during the end. */
  readonly launch: (options: LaunchOptions) => Running
  readonly isClosing: () => boolean
  /** Adds a task that `close` runs before it ends children; the last task runs first. */
  readonly atClose: (task: () => Promise<void>) => void
  /** Ends the remaining children, the youngest first, then the watchdog. */
  readonly close: () => Promise<void>
}

/** `recordFile` stores the pids of the children; without it (tests), only the watchdog ends orphans. */
export function processGroup(recordFile?: string): ProcessGroup {
  const watchdog = spawn(process.execPath, [join(root, 'scripts', 'watchdog.mjs')], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  watchdog.unref()
  const notify = (message: object) => watchdog.stdin.write(`${JSON.stringify(message)}\n`)
  // After the end of the watchdog, the next start ends the recorded pids.
  watchdog.stdin.on('error', () => {})
  const children = new Map<number, Running>()
  const recorded = new Map<number, Recorded>()
  const record = () => {
    if (recordFile !== undefined) writePrivately(recordFile, JSON.stringify([...recorded.values()]))
  }
  const tasks: Array<() => Promise<void>> = []
  let closing: Promise<void> | undefined
  return {
    launch(options) {
      if (closing !== undefined) throw new UserError(`Stopping, so ${options.name} is not started.`)
      const signal = options.stopSignal ?? 'SIGTERM'
      const timeoutMs = options.stopTimeoutMs ?? 10_000
      const child = start(options)
      const pid = child.pid
      if (pid === undefined) throw new UserError(`${options.command} could not be started.`)
      notify({ add: pid, signal, timeoutMs })
      recorded.set(pid, { name: options.name, pid, startedAt: readStartTime(pid) ?? '', signal })
      record()
      const gone = () => {
        notify({ remove: pid })
        children.delete(pid)
        recorded.delete(pid)
        record()
      }
      const launched = running(options, child, pid, { signal, timeoutMs, gone })
      children.set(pid, launched)
      return launched
    },
    isClosing: () => closing !== undefined,
    atClose: (task) => void tasks.push(task),
    close() {
      closing ??= closeAll(tasks, children, watchdog)
      return closing
    },
  }
}

async function closeAll(
  tasks: ReadonlyArray<() => Promise<void>>,
  children: ReadonlyMap<number, Running>,
  watchdog: ChildProcess,
): Promise<void> {
  for (const task of [...tasks].reverse()) await task()
  for (const child of [...children.values()].reverse()) await child.stop()
  const over = watchdog.exitCode !== null || watchdog.signalCode !== null
  const gone = new Promise((resolve) => watchdog.once('exit', resolve))
  watchdog.ref()
  watchdog.stdin?.end()
  if (!over) await gone
}

function start(options: LaunchOptions): ChildProcess {
  if (options.logFile !== undefined) mkdirSync(dirname(options.logFile), { recursive: true })
  const log = options.logFile === undefined ? 'inherit' : openSync(options.logFile, 'a')
  const child = spawn(options.command, [...options.args], {
    cwd: options.cwd ?? root,
    env: options.env as NodeJS.ProcessEnv,
    detached: true,
    stdio: ['ignore', log, log],
    ...(options.user === undefined ? {} : { uid: options.user.uid, gid: options.user.gid }),
  })
  if (log !== 'inherit') closeSync(log)
  return child
}

interface Ending {
  readonly signal: NodeJS.Signals
  readonly timeoutMs: number
  /** Called when the whole group has ended. */
  readonly gone: () => void
}

function running(
  { name, logFile = '' }: LaunchOptions,
  child: ChildProcess,
  pid: number,
  { signal, timeoutMs, gone }: Ending,
): Running {
  let over = false
  const exited = new Promise<Exit>((resolve) => {
    const end = (code: number | null, by: NodeJS.Signals | null) => {
      over = true
      resolve({ code, signal: by })
    }
    child.once('exit', end)
    child.once('error', () => end(null, null))
  })
  const ended = exited.then(() => endGroup(pid, signal, timeoutMs)).then(gone)
  return {
    name,
    pid,
    logFile,
    startedAtMs: performance.now(),
    exited,
    hasExited: () => over,
    kill: (other) => void signalTo(pid, other),
    async stop() {
      if (!over) {
        signalTo(pid, signal)
        await Promise.race([exited, delay(timeoutMs, undefined, { ref: false })])
        if (!over) signalTo(-pid, 'SIGKILL')
      }
      await ended
    },
  }
}

/** Ends what is left of a group whose leader has just ended: no other group can have its number yet. */
async function endGroup(pid: number, signal: NodeJS.Signals, timeoutMs: number): Promise<void> {
  if (!signalTo(-pid, signal)) return
  if (!(await until(() => !signalTo(-pid, 0), timeoutMs))) signalTo(-pid, 'SIGKILL')
}

/** Ends the recorded children of an earlier starter that was killed together with its watchdog. */
export async function endRecorded(recordFile: string, timeoutMs = 15_000): Promise<string[]> {
  if (!existsSync(recordFile)) return []
  const ended: string[] = []
  for (const { name, pid, startedAt, signal } of readRecorded(recordFile)) {
    if (readStartTime(pid) !== startedAt) continue
    ended.push(name)
    signalTo(pid, signal)
    const isOver = await until(() => readStartTime(pid) !== startedAt, timeoutMs)
    if (isOver) await endGroup(pid, signal, timeoutMs)
    else signalTo(-pid, 'SIGKILL')
  }
  rmSync(recordFile, { force: true })
  return ended
}

function readRecorded(file: string): Recorded[] {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Recorded[]
  } catch (cause) {
    throw new UserError(`${file} cannot be read as JSON. End what it lists by hand, then delete it.`, { cause })
  }
}

/** Waits until `condition` holds; false after the deadline. */
export async function until(condition: () => boolean | Promise<boolean>, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs
  while (Date.now() < deadline) {
    if (await condition()) return true
    await delay(pollMs)
  }
  return condition()
}

export interface Outcome {
  readonly code: number | null
  readonly stdout: string
  /** Both streams in the order of arrival. */
  readonly output: string
}

/** The programs that run to their end. */
const programs = new Set<ChildProcess>()

process.on('exit', () => {
  for (const program of programs) program.kill()
})

/**
 * Runs a program to its end and collects its output, up to a limit. Code null: the program could not run or exceeded
 * the time-out. The program ends with this process.
 */
export function runToEnd(
  command: string,
  args: readonly string[],
  options: { env?: Environment; cwd?: string; user?: { uid: number; gid: number } | undefined; timeoutMs: number },
): Promise<Outcome> {
  const outputMax = 64 * 1024
  return new Promise((resolve) => {
    let output = ''
    let stdout = ''
    const child = spawn(command, [...args], {
      cwd: options.cwd ?? root,
      env: (options.env ?? process.env) as NodeJS.ProcessEnv,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(options.user === undefined ? {} : { uid: options.user.uid, gid: options.user.gid }),
    })
    programs.add(child)
    const take = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-outputMax)
    }
    child.stdout.on('data', take)
    child.stdout.on('data', (chunk: Buffer) => {
      stdout = (stdout + chunk.toString()).slice(-outputMax)
    })
    child.stderr.on('data', take)
    const timer = setTimeout(() => child.kill('SIGKILL'), options.timeoutMs)
    const end = (outcome: Outcome) => {
      clearTimeout(timer)
      programs.delete(child)
      resolve(outcome)
    }
    child.once('error', (error) => end({ code: null, stdout: '', output: error.message }))
    child.once('close', (code) => end({ code, stdout, output }))
  })
}

/** The last lines of a log, for messages. */
export function lastLines(file: string, linesMax = 15): string {
  if (!existsSync(file)) return ''
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-linesMax).join('\n')
}

/** Why a process ended, for messages. */
export const exitText = ({ code, signal }: Exit): string => signal ?? `exit code ${code}`

/** Reports what happened to a process, with the end of its log. */
export function deathReport({ name, logFile }: Running, what: string): string {
  return `${name} ${what}. The end of ${logFile}:\n${lastLines(logFile)}`
}
