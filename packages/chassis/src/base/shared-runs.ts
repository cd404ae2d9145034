import { commonProblems, Problem } from '@payments/contracts/grammar/problem'

export interface SharedRunsOptions<Item, Result> {
  /** Serves all items. Resolves with their results, in the same order. */
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>
  readonly perRunMax: number
  readonly waitingMax: number
}

/**
 * Shares the runs of a statement between concurrent callers. At most one run is in progress, and the callers that
 * arrive meanwhile share the next one, in the order of their arrival. So each caller gets the result of a run that
 * began after its call: it never joins the run in progress, which may have read an earlier state. The error of a run
 * rejects its callers. Throws service_unavailable when `waitingMax` callers wait.
 */
export function createSharedRuns<Item, Result>(
  options: SharedRunsOptions<Item, Result>,
): (item: Item) => Promise<Result> {
  const { run, perRunMax, waitingMax } = options
  const waiting: Waiting<Item, Result>[] = []
  let isRunning = false

  const startNext = () => {
    isRunning = waiting.length > 0
    if (!isRunning) return
    const callers = waiting.splice(0, perRunMax)
    run(callers.map(({ item }) => item))
      .then((results) => {
        for (const [at, { resolve }] of callers.entries()) resolve(results[at] as Result)
      })
      .catch((error: unknown) => {
        for (const { reject } of callers) reject(error)
      })
      .finally(startNext)
  }
  return (item) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= waitingMax) {
        const detail = 'Too many calls wait for the database'
        return reject(new Problem(commonProblems.service_unavailable, { detail, retryAfterSeconds: 1 }))
      }
      waiting.push({ item, resolve, reject })
      if (!isRunning) startNext()
    })
}

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}
