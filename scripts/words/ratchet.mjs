/** The number of rejected words per file, as it is and as it is recorded in test/rejected-words.json. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { findRejectedWords, isChecked } from './scan.mjs'

const root = resolve(import.meta.dirname, '..', '..')
export const recordPath = join(root, 'test', 'rejected-words.json')

/** The findings of every checked file that has some, by path. */
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

/** @returns {Record<string, number>} */
export function readRecord() {
  return JSON.parse(readFileSync(recordPath, 'utf8'))
}

/**
 * @param {Record<string, number>} recorded
 * @param {ReadonlyMap<string, { length: number }>} found
 */
export function compare(recorded, found) {
  const paths = [...new Set([...Object.keys(recorded), ...found.keys()])].sort()
  const changes = paths.map((path) => ({ path, was: recorded[path] ?? 0, is: found.get(path)?.length ?? 0 }))
  return { grown: changes.filter(({ was, is }) => is > was), shrunk: changes.filter(({ was, is }) => is < was) }
}
