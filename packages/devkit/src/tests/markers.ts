import { readFileSync } from 'node:fs'

/**
 * The reason that the first comment of a test file gives for a marker: `@own-process replaces the DNS servers`. Null
 * without the marker. Throws for a marker without a reason.
 */
export function readMarker(path: string, marker: '@own-process' | '@slow'): string | null {
  const comment = /^\s*\/\*\*.*?\*\//s.exec(readFileSync(path, 'utf8'))?.[0] ?? ''
  const found = new RegExp(`${marker}\\b[ \\t]*([^\\n*]*)`).exec(comment)
  if (found === null) return null
  const reason = found[1]?.trim() ?? ''
  if (reason === '') throw new Error(`${path}: ${marker} needs a reason`)
  return reason
}
