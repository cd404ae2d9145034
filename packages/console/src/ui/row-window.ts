import { useCallback, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'

/** Of the latest rows of all lists, by their keys: a list that is opened again continues where the reader left it. */
const heights = new Map<string, number>()
const heightsMax = 20_000
/** Of a row that has not been an element. */
const estimatedHeight = 49
/** Rows before and after those in the window. */
export const rowsBeyond = 8

/**
 * **What it does.** Finds the rows of a long list that are near the window, so that only they are elements. The page
 * scrolls. The list takes the height of all rows.
 *
 * **Guarantees.** A row has the height that it had as an element, and the estimated one before. A row above the window
 * whose height changes does not move what the reader sees.
 */
export function useRowWindow(keys: readonly string[]) {
  const body = useRef<HTMLDivElement>(null)
  const [range, setRange] = useState({ from: 0, to: 2 * rowsBeyond })
  const moved = useRef(0)
  const [, setMeasured] = useState({})
  const tops = placeRows(keys)

  const showRows = useEffectEvent(() => {
    const start = body.current?.getBoundingClientRect().top ?? 0
    const from = Math.max(0, rowAt(tops, -start) - rowsBeyond)
    const to = Math.min(keys.length, rowAt(tops, innerHeight - start) + 1 + rowsBeyond)
    setRange((before) => (before.from === from && before.to === to ? before : { from, to }))
  })
  useLayoutEffect(() => {
    if (moved.current !== 0) scrollBy(0, moved.current)
    moved.current = 0
    showRows()
  })
  useEffect(() => {
    const options = { passive: true }
    addEventListener('scroll', showRows, options)
    addEventListener('resize', showRows, options)
    return () => {
      removeEventListener('scroll', showRows)
      removeEventListener('resize', showRows)
    }
  }, [])

  const [observer] = useState(
    () =>
      new ResizeObserver((entries) => {
        const changes = entries.map(store).filter(({ by }) => by !== 0)
        if (changes.length === 0) return
        moved.current += changes.filter(({ isAbove }) => isAbove).reduce((sum, { by }) => sum + by, 0)
        setMeasured({})
      }),
  )
  /** The `ref` of a row, whose element has its key as `data-key`. */
  const measure = useCallback(
    (row: HTMLElement | null) => {
      if (row === null) return undefined
      observer.observe(row)
      return () => observer.unobserve(row)
    },
    [observer],
  )
  const rows = keys
    .slice(range.from, range.to)
    .map((key, index) => ({ index: range.from + index, key, top: tops[range.from + index] ?? 0 }))
  // `body`: the element that the rows are in. Heights and tops are in px.
  return { rows, height: tops[keys.length] ?? 0, body, measure }
}

/** Where each row starts, and at the end the height of all. */
function placeRows(keys: readonly string[]): Float64Array {
  const tops = new Float64Array(keys.length + 1)
  keys.forEach((key, index) => (tops[index + 1] = (tops[index] ?? 0) + (heights.get(key) ?? estimatedHeight)))
  return tops
}

/** The index of the row at a position; beyond the rows, the index of the first or the last. */
function rowAt(tops: Float64Array, position: number): number {
  let [low, high] = [0, Math.max(0, tops.length - 2)]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((tops[middle] ?? 0) <= position) low = middle
    else high = middle - 1
  }
  return low
}

/** Stores the height of a row. Returns by how much it changed, and whether the row begins above the window. */
function store({ target, borderBoxSize }: ResizeObserverEntry) {
  const key = (target as HTMLElement).dataset['key'] ?? ''
  const height = borderBoxSize[0]?.blockSize ?? 0
  // A row that has just been removed has no height.
  if (height === 0) return { by: 0, isAbove: false }
  const by = height - (heights.get(key) ?? estimatedHeight)
  heights.delete(key)
  heights.set(key, height)
  for (const oldest of heights.keys()) {
    if (heights.size <= heightsMax) break
    heights.delete(oldest)
  }
  return { by, isAbove: target.getBoundingClientRect().top < 0 }
}
