import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from '@jest/globals'
import { createProgram, exitCodes } from '../src/payctl.ts'
import { withReference } from '../src/reference.ts'

const root = resolve(import.meta.dirname, '../../..')
const read = (file: string) => readFileSync(resolve(root, file), 'utf8')

test('docs/payctl.md documents every command (write it with `node scripts/texts/payctl-reference.mjs`)', () => {
  const document = read('docs/payctl.md')
  expect(document).toBe(withReference(document, createProgram()))
})

test('docs/payctl.md documents the exit codes of the help', () => {
  const documented = [...read('docs/payctl.md').matchAll(/^\| (\d+) \| (.*) \|$/gm)].map(([, ...row]) => row)
  expect(documented.length).toBeGreaterThan(3)
  expect(documented).toEqual(Object.entries(exitCodes))
})

test('the version of payctl is that of the release, and of the newest one in the changelog', () => {
  const { version } = JSON.parse(read('package.json'))
  expect(createProgram().version()).toBe(version)
  expect(/^## (.*)$/m.exec(read('CHANGELOG.md'))?.[1]).toBe(version)
})
