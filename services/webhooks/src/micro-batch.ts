import { isOutage } from '@payments/messaging/outage'

/**
 * Many callers, one statement: what comes within `waitMsMax` of the first goes out together, `itemsMax` at most.
 *
 * `run` answers one result per item, in their order. When it fails because something is away, all its callers fail with that.
 * When it fails for any other reason, one item may be to blame for it: each is tried alone, so that only that one fails.
 * Bounded by its callers: each waits for its result.
 */
export function microBatch<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  { itemsMax = 100, waitMsMax = 5 }: { itemsMax?: number; waitMsMax?: number } = {},
): (item: Item) => Promise<Result> {
  let gathering: Entry<Item, Result>[] = []
  let timer: NodeJS.Timeout | undefined

  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    const entries = gathering
    gathering = []
    void runAll(run, entries)
  }
  return (item) =>
    new Promise((resolve, reject) => {
      gathering.push({ item, resolve, reject })
      if (gathering.length >= itemsMax) flush()
      else timer ??= setTimeout(flush, waitMsMax)
    })
}

interface Entry<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/** Settles every entry; never rejects. */
async function runAll<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  entries: readonly Entry<Item, Result>[],
): Promise<void> {
  try {
    const results = await run(entries.map(({ item }) => item))
    if (results.length !== entries.length) throw new Error(`${results.length} results for ${entries.length} items`)
    for (const [index, { resolve }] of entries.entries()) resolve(results[index] as Result)
  } catch (error) {
    if (entries.length === 1 || isOutage(error)) {
      for (const { reject } of entries) reject(error)
      return
    }
    for (const entry of entries) await runAll(run, [entry])
  }
}
