export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

/** Beyond so many pairs of changed lines, the lines are shown as replaced in whole: comparing them takes too long. */
const pairsMax = 1_000_000

const as =
  (kind: DiffLine['kind']) =>
  (text: string): DiffLine => ({ kind, text })

/** The lines of two texts, with the smallest number of removed and added ones (longest common subsequence). */
export function lineDiff(before: string, after: string): DiffLine[] {
  const [a, b] = [splitLines(before), splitLines(after)]
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1
  let end = 0
  const shorter = Math.min(a.length, b.length) - start
  while (end < shorter && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1
  return [
    ...a.slice(0, start).map(as('same')),
    ...compareLines(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(as('same')),
  ]
}

const splitLines = (text: string): string[] => (text === '' ? [] : text.split('\n'))

function compareLines(a: readonly string[], b: readonly string[]): DiffLine[] {
  if (a.length * b.length > pairsMax) return [...a.map(as('removed')), ...b.map(as('added'))]
  const width = b.length + 1
  /** The length of the longest common subsequence of `a` from i on and `b` from j on, at `i * width + j`. */
  const common = new Uint32Array((a.length + 1) * width)
  const at = (i: number, j: number) => common[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const lines: DiffLine[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]]
    if (left !== undefined && left === right) {
      lines.push({ kind: 'same', text: left })
      i += 1
      j += 1
    } else if (left !== undefined && (right === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ kind: 'removed', text: left })
      i += 1
    } else {
      lines.push({ kind: 'added', text: right ?? '' })
      j += 1
    }
  }
  return lines
}

/** Lines around a changed one. */
const around = 3

/** Excerpts of a diff: changed lines with those around them. `skipped`: how many lines are left out before. */
export function selectExcerpts(lines: readonly DiffLine[]) {
  const isNear = new Array<boolean>(lines.length).fill(false)
  lines.forEach(({ kind }, index) => {
    if (kind !== 'same') isNear.fill(true, Math.max(0, index - around), index + around + 1)
  })
  const parts: { skipped: number; lines: DiffLine[] }[] = []
  let skipped = 0
  lines.forEach((line, index) => {
    if (isNear[index] !== true) {
      skipped += 1
    } else if (skipped > 0 || parts.length === 0) {
      parts.push({ skipped, lines: [line] })
      skipped = 0
    } else {
      parts.at(-1)?.lines.push(line)
    }
  })
  return skipped > 0 && parts.length > 0 ? [...parts, { skipped, lines: [] }] : parts
}
