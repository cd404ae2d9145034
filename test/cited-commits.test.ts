import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from '@jest/globals'

const root = resolve(import.meta.dirname, '..')
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' })

test('every commit that a document of figures cites is in the history', () => {
  // A shallow clone has no history to look in.
  if (git('rev-parse', '--is-shallow-repository').trim() === 'true') return
  const history = git('log', '--format=%H').split('\n')
  const cited = ['docs/performance.md', 'docs/sizing.md'].flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/\b(?=[a-f]*\d)[0-9a-f]{7}\b/g)].map(([commit]) => commit),
  )
  const commits = new Set(cited.filter((word) => /[a-f]/.test(word)))
  expect(commits.size).toBeGreaterThan(10)
  expect([...commits].filter((commit) => !history.some((known) => known.startsWith(commit)))).toEqual([])
})
