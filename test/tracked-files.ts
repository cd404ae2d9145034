import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const root = resolve(import.meta.dirname, '..')

const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })

/** The paths of the project that git tracks, or would. */
export const files = listed
  .toString()
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(root, file)))

export const read = (file: string): string => readFileSync(join(root, file), 'utf8')

/** Code that runs outside of tests. */
export const isSource = (file: string): boolean =>
  /\.(tsx?|mjs|cjs)$/.test(file) && !/(^|\/)(generated|test)\//.test(file)
