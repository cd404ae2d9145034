/**
 * **What it does.** Runs the child processes of a script. Plain JavaScript that Node 18 runs.
 *
 * **Guarantees.** After a signal, a script ends each child together with the process group that the child leads, and
 * then itself. The end of the parent is such a signal: npm passes its SIGTERM to a shell, which ends alone.
 *
 * **Not guaranteed.** The end of the children of a script that is killed with -9.
 */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
const parentPollMs = 500
const endTimeoutMs = 10_000
const endPollMs = 25
const outputMax = 64 * 1024

/** The pids of the children, each the leader of a group. */
const groups = new Set()
let isEnding = false

/** Sends SIGTERM to this process when the process of npm that started it has ended. */
export function endWithParent() {
  if (process.env.npm_lifecycle_event === undefined) return
  const parent = process.ppid
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM')
  }, parentPollMs).unref()
}

/** The exit code of a process, as a shell reports it. */
const toExitCode = (code, signal) => code ?? 128 + constants.signals[signal]

/** Runs `work`. A signal ends the children of `quietly` and `visibly`, then this process. */
export async function endingBySignals(work) {
  for (const signal of signals) process.on(signal, end)
  try {
    return await work()
  } finally {
    for (const signal of signals) process.off(signal, end)
  }
}

async function end(signal) {
  // One Ctrl-C may arrive twice: from the terminal, and from the process above.
  if (isEnding) return
  isEnding = true
  const deadline = Date.now() + endTimeoutMs
  const remaining = () => [...groups].filter((pid) => signalGroup(pid, 0))
  for (const pid of groups) signalGroup(pid, 'SIGTERM')
  while (remaining().length > 0 && Date.now() < deadline) await delay(endPollMs)
  for (const pid of remaining()) signalGroup(pid, 'SIGKILL')
  process.exit(toExitCode(null, signal))
}

function signalGroup(pid, signal) {
  try {
    return process.kill(-pid, signal)
  } catch {
    return false // the group is gone, which is what is wanted
  }
}

/** Runs a program with the output of this process. Resolves with its exit code. */
export async function visibly(command, args, options) {
  const { code } = await runToEnd(command, args, { ...options, stdio: ['ignore', 'inherit', 'inherit'] })
  return code
}

/** Runs a program. Resolves with its exit code and the end of its output. */
export const quietly = (command, args, options) =>
  runToEnd(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })

function runToEnd(command, args, options) {
  return new Promise((resolve) => {
    let output = ''
    const child = spawn(command, args, { ...options, detached: true })
    groups.add(child.pid)
    // While this process ends, its work does not continue.
    const finish = (result) => {
      if (isEnding) return
      groups.delete(child.pid)
      resolve(result)
    }
    const take = (chunk) => {
      output = (output + chunk).slice(-outputMax)
    }
    child.stdout?.on('data', take)
    child.stderr?.on('data', take)
    child.once('error', (error) => finish({ code: 1, output: error.message }))
    child.once('close', (code, signal) => finish({ code: toExitCode(code, signal), output }))
  })
}

/**
 * Runs a program in the place of this process, with its terminal. Resolves with the exit code. A signal is passed on
 * once: the terminal sends Ctrl-C to both processes.
 */
export function inPlace(command, args, options) {
  let child
  // Before the child exists, or it would survive a signal that comes while it is being started.
  for (const signal of signals) {
    process.once(signal, () => {
      process.on(signal, () => {})
      child.kill(signal)
    })
  }
  child = spawn(command, args, { ...options, stdio: 'inherit' })
  return new Promise((resolve) => {
    child.once('error', () => resolve(1))
    child.once('exit', (code, signal) => resolve(toExitCode(code, signal)))
  })
}
