/** @slow It migrates every service, with the migrations of a previous release. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { processNames } from '@payments/devkit/platform/process-plan'
import { services } from '@payments/devkit/servers/databases'
import { privateDatabase } from '@payments/testing/database/database'
import { type Column, findIncompatible } from './upgrade/columns.ts'
import { migrate, migrationsIn } from './upgrade/migrations.ts'
import { extractRelease, previousRelease } from './upgrade/previous-release.ts'
import { documentedOrder } from './upgrade/run.ts'

/**
 * The conditions of an upgrade without downtime: the order of docs/operating.md, and migrations that leave the previous
 * release working. upgrade-under-load.test.ts makes the upgrade. A checkout without a previous release says so.
 */
const previous = previousRelease()

test('the documented order names every process once', () => {
  expect(documentedOrder().flat().sort()).toEqual([...processNames].sort())
})

test('the previous release is the first commit of the version, from 1.0.0 on', () => {
  const directory = mkdtempSync(join(tmpdir(), 'versions-'))
  const git = (...args: string[]) => execFileSync('git', args, { cwd: directory, encoding: 'utf8' }).trim()
  const commit = (version: string, description: string) => {
    writeFileSync(join(directory, 'package.json'), JSON.stringify({ version, description }, null, 2))
    git('add', '.')
    git('-c', 'user.name=test', '-c', 'user.email=test@example.com', 'commit', '--quiet', '--message', description)
    return git('rev-parse', 'HEAD')
  }
  try {
    git('init', '--quiet')
    commit('0.9.0', 'first')
    expect(previousRelease(directory, '')).toEqual({ missing: '0.9.0 is below 1.0.0' })
    const release = commit('1.0.0', 'first')
    expect(previousRelease(directory, '')).toEqual({ missing: 'this is the first commit of the release' })
    commit('1.0.0', 'second')
    commit('1.0.0', 'third')
    expect(previousRelease(directory, '')).toEqual({ commit: release })
    commit('1.1.0', 'third')
    expect(previousRelease(directory, '')).toEqual({ missing: 'this is the first commit of the release' })
  } finally {
    rmSync(directory, { recursive: true })
  }
})

test('a migration that breaks the previous release is found, column by column', () => {
  const column = (name: string, given: Partial<Column> = {}): Column => ({
    table: 'keys',
    column: name,
    type: 'text',
    optional: false,
    ...given,
  })
  const schema = 'model Key {\n  id String @id\n  old String? @map("old_name") @ignore\n\n  @@map("keys")\n}\n'
  const before = ['id', 'old_name', 'dropped', 'typed'].map((name) => column(name))
  const optional = column('strict', { optional: true })
  const after = [
    column('id'),
    column('typed', { type: 'uuid' }),
    column('strict'),
    column('required'),
    column('added', { optional: true }),
    column('id', { table: 'new_table' }),
  ]
  expect(findIncompatible([...before, optional], after, schema)).toEqual([
    'keys.dropped was dropped or renamed',
    'keys.typed is uuid, was text',
    'keys.strict cannot be left out any more',
    'keys.required is new and cannot be left out',
  ])
})

const compareColumns = (commit: string) => async () => {
  const directory = mkdtempSync(join(tmpdir(), 'previous-'))
  try {
    const checkout = join(directory, 'release')
    await extractRelease(commit, checkout, ['services'])
    for (const service of services) {
      const database = await privateDatabase(service, undefined, migrationsIn(checkout, service))
      expect(await migrate(database.ownerUrl, service, checkout)).toEqual([])
      await database.drop()
    }
  } finally {
    rmSync(directory, { recursive: true })
  }
}

if ('missing' in previous)
  process.stdout.write(`not run: the migrations since the previous release, because ${previous.missing}\n`)
else test('the migrations keep every column that the previous release uses', compareColumns(previous.commit))
