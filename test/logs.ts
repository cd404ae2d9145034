import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The text of each log of a platform, also of processes that a test started beside it. */
export function readLogs(logDirectory: string): string[] {
  const files = readdirSync(logDirectory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'))
}
