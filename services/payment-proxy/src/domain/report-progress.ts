import { createHash } from 'node:crypto'

/** 1 000 000 operations, in pages of 100. */
const pagesMax = 10_000
/** Pages in a row. Some objects of a provider are no operations, so some pages are empty. */
const emptyPagesMax = 100

/** How much of a report was read: pages, empty ones at its end, and the digest of an earlier cursor. */
export type ReportProgress = readonly [pages: number, empty: number, digest: string]

export const reportStart: ReportProgress = [0, 0, '']

/**
 * The progress after a page, or null for a report that does not end: it has too many pages, too many empty ones in a
 * row, or repeats a cursor. The digest is of the cursor after 1, 2, 4, 8 … pages, so every cycle of cursors meets
 * it (R. P. Brent, "An improved Monte Carlo factorization algorithm", 1980).
 */
export function progressAfter(
  [pagesBefore, emptyBefore, mark]: ReportProgress,
  { operations, next }: { readonly operations: readonly unknown[]; readonly next: string | null },
): ReportProgress | null {
  if (next === null) return reportStart
  const [pages, empty] = [pagesBefore + 1, operations.length === 0 ? emptyBefore + 1 : 0]
  const digest = createHash('sha256').update(next).digest('base64url').slice(0, 22)
  if (pages >= pagesMax || empty >= emptyPagesMax || digest === mark) return null
  return [pages, empty, Number.isInteger(Math.log2(pages)) ? digest : mark]
}
