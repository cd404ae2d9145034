/** What `npm start` shows while it works: a live list on a terminal, plain lines anywhere else. */
import { type DefaultRenderer, Listr, type ListrTask } from 'listr2'

export type Say = (line: string) => void

export interface Step {
  readonly title: string
  /** What it says replaces its title's second half. */
  readonly run: (say: Say) => Promise<void>
}

const listColumnsMin = 40

/** Runs the steps side by side. Throws what the first failing one threw, when that is known. */
export async function inParallel(steps: readonly Step[]): Promise<void> {
  // A terminal that claims to be a few columns wide (some have none) breaks every line of the list into pieces.
  if (process.stdout.isTTY && process.stdout.columns >= listColumnsMin) await asList(steps)
  else await asLines(steps)
}

async function asList(steps: readonly Step[]): Promise<void> {
  const tasks = steps.map(
    ({ title, run }): ListrTask<object, typeof DefaultRenderer> => ({
      title,
      task: (_, task) =>
        run((line) => {
          task.title = `${title}: ${line}`
        }),
    }),
  )
  // Signals are ours to handle, and an error is shown once, by whoever catches it.
  const list = new Listr(tasks, {
    concurrent: true,
    registerSignalListeners: false,
    rendererOptions: { showErrorMessage: false, collapseErrors: false },
  })
  await list.run()
}

async function asLines(steps: readonly Step[]): Promise<void> {
  await Promise.all(
    steps.map(async ({ title, run }) => {
      const from = Date.now()
      console.log(`- ${title}`)
      await run((line) => console.log(`- ${title}: ${line}`))
      console.log(`✓ ${title} (${((Date.now() - from) / 1000).toFixed(1)} s)`)
    }),
  )
}
