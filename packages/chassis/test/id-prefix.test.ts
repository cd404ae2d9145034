import { expect, test } from '@jest/globals'
import { idsThatBeginWith } from '../src/base/id.ts'
import { literalInLike } from '../src/database/like.ts'

test.each([
  ['01a2', '01a20000-0000-0000-0000-000000000000', '01a2ffff-ffff-ffff-ffff-ffffffffffff'],
  ['01A21A2C-a', '01a21a2c-a000-0000-0000-000000000000', '01a21a2c-afff-ffff-ffff-ffffffffffff'],
  [
    '01a21a2c-aad1-777f-8cad-d8384a3eca90',
    '01a21a2c-aad1-777f-8cad-d8384a3eca90',
    '01a21a2c-aad1-777f-8cad-d8384a3eca90',
  ],
])('%s begins the ids from %s to %s', (text, first, last) => {
  expect(idsThatBeginWith(text)).toEqual({ first, last })
})

test.each(['', '-', 'order-1', 'g', `${'0'.repeat(33)}`])('%j begins no id', (text) => {
  expect(idsThatBeginWith(text)).toBeNull()
})

test('no character of a text is a wildcard in a pattern', () => {
  expect(literalInLike('50%_off\\ now')).toBe('50\\%\\_off\\\\ now')
})
