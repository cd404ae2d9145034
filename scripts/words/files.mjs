import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { findRejectedWords, isChecked } from './scan.mjs'

const root = resolve(import.meta.dirname, '..', '..')

/** The rejected words of every checked file that has some, by path. */
export function findAll() {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
  const paths = listed.split('\n').filter((path) => isChecked(path) && existsSync(join(root, path)))
  const all = [...new Set(paths)].sort().map((path) => {
    return /** @type {const} */ ([path, findRejectedWords(path, readFileSync(join(root, path), 'utf8'))])
  })
  return new Map(all.filter(([, findings]) => findings.length > 0))
}
