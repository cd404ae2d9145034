import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'

/** A process of a benchmark: its first message is `ready`, then each request gets one response. */
export interface Child<Ready, Request, Response> {
  readonly ready: Ready
  readonly pid: number
  request(message: Request): Promise<Response>
}

export interface ChildOptions {
  readonly args?: readonly string[]
  readonly execArgv?: readonly string[]
}

/**
 * Starts `bench/<name>.ts`, compiled, and waits until it is ready. Rejects when the process ends first. It ends with
 * the bench.
 */
export async function startChild<Ready = object, Request = never, Response = never>(
  cleanups: Cleanup[],
  name: string,
  { args = [], execArgv = [] }: ChildOptions = {},
): Promise<Child<Ready, Request, Response>> {
  const child = fork(join(import.meta.dirname, '..', `${name}.js`), args, { execArgv: [...execArgv] })
  cleanups.push(() => endProcess(child))
  const ready = await nextMessage<Ready>(child)
  return {
    ready,
    pid: requirePid(child),
    request: (message) => {
      const response = nextMessage<Response>(child)
      child.send(message as object)
      return response
    },
  }
}

/** In the child: reports `ready`, then replies to each request with the result of `respond`. */
export function serveParent<Ready extends object, Request, Response extends object>(
  ready: Ready,
  respond: (request: Request) => Promise<Response>,
): void {
  process.on('message', async (request) => process.send?.(await respond(request as Request)))
  process.send?.(ready)
}

/** Sends `signal` and waits for the end of the process. */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  await ended
}

/** Throws when the process could not be started. */
export function requirePid(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error('a process of the benchmark could not be started')
  return child.pid
}

/** Ends a process or server of a benchmark. Cleanups run in the reverse order. */
export type Cleanup = () => unknown

export async function withCleanup(work: (cleanups: Cleanup[]) => Promise<void>): Promise<void> {
  const cleanups: Cleanup[] = []
  try {
    await work(cleanups)
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup()
  }
}

function nextMessage<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`a process of the benchmark ended with ${code}`))
    child.once('exit', ended)
    child.once('message', (message) => {
      child.off('exit', ended)
      resolve(message as Message)
    })
  })
}
