import { expect, test } from '@jest/globals'
import { toFilter } from '../src/pages/dead-letters/selection.ts'

test.each([
  [{ error_kind: 'status' }, { error_kind: 'status' }],
  [{ status_code: '503' }, { status_code: 503 }],
  [{ status_code: 'abc' }, { status_code: 'abc' }],
])('gives the API the filters of the URL so that it can check each: %j', (written, sent) => {
  expect(toFilter(written)).toEqual(sent)
})
