import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { readMarker } from '@payments/devkit/tests/markers'
import { slowFiles } from '@payments/devkit/tests/test-run'

test('npm test leaves out the files that say @slow in their first comment, and no others', () => {
  const slow = slowFiles()
  expect(slow).toContain('test/upgrade-under-load.test.ts')
  expect(slow).not.toContain('test/journey.test.ts')
  // This file has the word elsewhere.
  expect(slow).not.toContain('packages/devkit/test/test-run.test.ts')
})

test('a marker has a reason', () => {
  const directory = mkdtempSync(join(tmpdir(), 'markers-'))
  const reasonIn = (text: string) => {
    const file = join(directory, 'one.test.ts')
    writeFileSync(file, text)
    return readMarker(file, '@slow')
  }
  try {
    expect(reasonIn('/** @slow It drives Chromium. */\nimport one')).toBe('It drives Chromium.')
    expect(reasonIn('import one\n/** @slow It drives Chromium. */')).toBeNull()
    expect(() => reasonIn('/** @slow */')).toThrow('@slow needs a reason')
  } finally {
    rmSync(directory, { recursive: true })
  }
})
