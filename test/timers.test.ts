import { expect, test } from '@jest/globals'
import { files, isSource, read } from './tracked-files.ts'

/** Starts a timer that repeats, by itself or by a function of the chassis. */
const repeats = /setInterval\(|createPause\(|clock\.after\(|process\/(schedule|when-due|claim-loop)'/
/** Mechanisms without a timer of their own, and programs that are no process of a platform. */
const elsewhere = /^packages\/(chassis|client|console|devkit|testing)\//

test('docs/timers.md has every file with a timer that repeats, and no other', () => {
  const withTimer = files.filter(
    (file) => isSource(file) && /\/src\//.test(file) && !elsewhere.test(file) && repeats.test(code(file)),
  )
  const table = read('docs/timers.md')
    .split('\n')
    .filter((line) => line.startsWith('|'))
  const named = new Set([...table.join('\n').matchAll(/`([^`]+\.ts)`/g)].map(([, file = '']) => file))
  expect([...named].sort()).toEqual(withTimer.sort())
})

/** Without comments and imports of types. */
function code(file: string): string {
  return read(file).replaceAll(/^import type .*$|\/\*[^]*?\*\/|\/\/.*$/gm, '')
}
