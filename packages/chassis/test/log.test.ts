import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { pino } from 'pino'
import { createLog, flushedAfterLines, plain } from '../src/observability/log.ts'

test('no line has a card number or a credential, wherever it stands', () => {
  const lines: string[] = []
  const log = createLog('library', 'info', { write: (line) => void lines.push(line) })
  log.info({ path: '/books/4111111111111111' }, 'request')
  plain(log).info({ reader: ['card 4111 1111 1111 1111'] }, 'request')
  log.error({ err: new Error('the provider rejected\n4111-1111-1111-1111') }, 'unexpected error')
  log.info({ path: '/books/1', duration_ms: 12.5 }, 'request')
  expect(lines).toHaveLength(4)
  log.warn({ cause: `the key psk_dev_${'a1B'.repeat(16)}c is refused` }, 'unavailable')
  expect(String(lines.pop())).toContain('the key [credential] is refused')
  for (const line of lines.slice(0, 3)) {
    expect(line).toContain('[card number]')
    expect(line).not.toMatch(/4111[ -]?1111/)
  }
  expect(JSON.parse(String(lines[3]))).toMatchObject({ name: 'library', path: '/books/1', duration_ms: 12.5 })
})

test('lines leave the buffer without a later line, also those that came during a write', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'log-'))
  const file = join(directory, 'log')
  const fd = openSync(file, 'a')
  const countWritten = () => readFileSync(file, 'utf8').split('\n').length - 1
  const destination = flushedAfterLines(pino.destination({ fd, sync: false, minLength: 8 * 1024 }))
  const untilDrained = (count: number) =>
    new Promise<void>((resolve) => {
      const check = () => (countWritten() === count ? resolve() : destination.once('drain', check))
      check()
    })
  const log = createLog('library', 'info', destination)
  log.info('first')
  await untilDrained(1)
  for (let line = 0; line < 500; line += 1) log.info({ line }, 'many')
  await untilDrained(501)
  expect(countWritten()).toBe(501)
  const closed = new Promise((resolve) => destination.once('close', resolve))
  destination.end()
  await closed
  rmSync(directory, { recursive: true })
})
