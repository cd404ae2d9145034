/** Facts of the operating system about a process: /proc on Linux, ps elsewhere. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export function signalTo(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
}

/** An opaque value that differs between two processes with the same pid; undefined when the process does not exist. */
export function readStartTime(pid: number): string | undefined {
  if (process.platform !== 'linux') return readPs('lstart', pid)
  const fields = procStat(pid)
  return fields === undefined || fields[0] === 'Z' ? undefined : fields[19]
}

/** The fields after the name, from state (the third of proc(5)) on. The name stands in brackets and may hold spaces. */
function procStat(pid: number): string[] | undefined {
  const stat = readProc(pid, 'stat')
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
}

const procName = (pid: number): string | undefined => readProc(pid, 'comm')?.trim()

function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return undefined // there is no such process
  }
}

export function readParent(pid: number): { readonly pid: number; readonly name: string } | undefined {
  const parent = Number(process.platform === 'linux' ? procStat(pid)?.[1] : readPs('ppid', pid))
  if (!(parent > 0)) return undefined
  const name = process.platform === 'linux' ? procName(parent) : readPs('ucomm', parent)
  return { pid: parent, name: name ?? '' }
}

/** Its command line as words; undefined when there is no such process. */
export function readCommandLine(pid: number): string[] | undefined {
  if (process.platform !== 'linux') return readPs('command', pid)?.split(' ')
  return readProc(pid, 'cmdline')?.split('\0')
}

function readPs(column: string, pid: number): string | undefined {
  const { stdout } = spawnSync('ps', ['-o', `${column}=`, '-p', String(pid)], { encoding: 'utf8', timeout: 5_000 })
  return stdout?.trim() || undefined
}
