/** Progress of `npm start`: a live list on a terminal, plain lines elsewhere. */
import { type DefaultRenderer, Listr, type ListrTask } from 'listr2'

export type Say = (line: string) => void

export interface Step {
  readonly title: string
  /** Each reported line replaces the second half of the title. */
  readonly run: (say: Say) => Promise<void>
}

const listColumnsMin = 40

/** Runs the steps concurrently. Throws the error of the first failed step. */
export async function inParallel(steps: readonly Step[]): Promise<void> {
  // A terminal of few columns (some report 0) breaks every line of the list.
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
  // This process handles signals, and the caller prints an error once.
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
