import { expect, test } from '@jest/globals'
import { literalFirst } from '../src/request/router.ts'

const endpoint = (path: `/${string}`) =>
  ({ method: 'GET', path, audience: 'public', summary: 'Read.', replies: { 200: null } }) as const

test('tries a literal segment before a parameter in the same place, in any order of the contract', () => {
  const [one, all] = [endpoint('/webhooks/{id}'), endpoint('/webhooks/reveal')]
  for (const endpoints of [
    { one, all },
    { all, one },
  ]) {
    expect(literalFirst(endpoints).map(([name]) => name)).toEqual(['all', 'one'])
  }
})
