import { payctl } from '../src/payctl.ts'

export interface Printed {
  /** The exit code. */
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  /** Both, in the order in which they were written. */
  readonly output: string
}

interface Surroundings {
  /** All variables of the environment. */
  readonly env?: NodeJS.ProcessEnv
  /** Whether standard output is a terminal. Default: both streams are pipes. */
  readonly isTerminal?: boolean
}

let isRunning = false

/**
 * **What it does.** Runs a command line in the process of the test: a start of `dist/main.js` takes 0.4 s of CPU time.
 *
 * **Guarantees.** The command line reads no variable of the process of the test and writes to none of its streams. The
 * process has both back after the call. A second call throws while one runs.
 *
 * **Not guaranteed.** The end of a process, which is in `main.ts`. Other code of the test that runs during the call
 * misses its variables, and prints into the output of payctl.
 */
export async function runPayctl(
  argv: readonly string[],
  { env = {}, isTerminal = false }: Surroundings = {},
): Promise<Printed> {
  if (isRunning) throw new Error('the process runs one command line at a time')
  isRunning = true
  const printed = { stdout: '', stderr: '', output: '' }
  const before = process.env
  process.env = { ...env }
  const restorers = (['stdout', 'stderr'] as const).map((name) =>
    captureStream(process[name], name === 'stdout' && isTerminal, (text) => {
      printed[name] += text
      printed.output += text
    }),
  )
  try {
    const code = await payctl(argv)
    return { code, ...printed }
  } finally {
    for (const restore of restorers) restore()
    process.env = before
    isRunning = false
  }
}

/** Passes what is written to `take`, until the returned function puts the stream back. */
function captureStream(stream: NodeJS.WriteStream, isTerminal: boolean, take: (text: string) => void): () => void {
  const own = Object.getOwnPropertyDescriptors(stream)
  const replaced = {
    write: (chunk: string | Uint8Array) => {
      take(String(chunk))
      return true
    },
    isTTY: isTerminal,
  }
  Object.assign(stream, replaced)
  return () => {
    for (const name of Object.keys(replaced) as (keyof typeof replaced)[]) {
      const descriptor = own[name]
      if (descriptor === undefined) Reflect.deleteProperty(stream, name)
      else Object.defineProperty(stream, name, descriptor)
    }
  }
}
