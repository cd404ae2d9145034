import { expect, test } from '@jest/globals'
import { createLog, plain } from '../src/observability/log.ts'

test('no line has a card number, wherever it stands', () => {
  const lines: string[] = []
  const log = createLog('library', 'info', { write: (line) => void lines.push(line) })
  log.info({ path: '/books/4111111111111111' }, 'request')
  plain(log).info({ reader: ['card 4111 1111 1111 1111'] }, 'request')
  log.error({ err: new Error('the provider rejected\n4111-1111-1111-1111') }, 'unexpected error')
  log.info({ path: '/books/1', duration_ms: 12.5 }, 'request')
  expect(lines).toHaveLength(4)
  for (const line of lines.slice(0, 3)) {
    expect(line).toContain('[card number]')
    expect(line).not.toMatch(/4111[ -]?1111/)
  }
  expect(JSON.parse(String(lines[3]))).toMatchObject({ name: 'library', path: '/books/1', duration_ms: 12.5 })
})
