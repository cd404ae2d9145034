import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { root } from '@payments/devkit/machine/profile'
import { longTests } from '@payments/devkit/tests/test-run'

test('each test that npm test leaves out has a short form', () => {
  const long = longTests()
  expect(long).toContain('test/upgrade.long.test.ts')
  expect(long.filter((file) => !existsSync(join(root, file.replace('.long.', '.'))))).toEqual([])
})
