import { expect, test } from '@jest/globals'
import { buildConfig } from '../src/pages/auth-infos/schemes.ts'

test('lines of one header are one header with all values, and a blank line is none', () => {
  const headers = 'X-Key: 1\n\nX-Route: a\nX-Key: 2 \n X-Empty'
  expect(buildConfig('custom_headers', { headers })).toEqual({
    headers: { 'X-Key': '1, 2', 'X-Route': 'a', 'X-Empty': '' },
  })
})
