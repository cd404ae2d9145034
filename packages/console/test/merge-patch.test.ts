import { expect, test } from '@jest/globals'
import { buildMergePatch } from '../src/text/changes.ts'

test.each([
  ['a changed member', { a: 1, b: 2 }, { a: 1, b: 3 }, { b: 3 }],
  ['a removed member', { a: 1, b: 2 }, { a: 1 }, { b: null }],
  ['a member of a member', { a: { b: 1, c: 2 } }, { a: { c: 2, d: 3 } }, { a: { b: null, d: 3 } }],
  ['a removed object', { a: { b: 1 } }, {}, { a: null }],
  ['an added object', {}, { a: { b: 1 } }, { a: { b: 1 } }],
  ['nothing', { a: { b: [1] } }, { a: { b: [1] } }, {}],
  ['a member with the name of one of each object', {}, { constructor: 'x' }, { constructor: 'x' }],
])('the patch has %s', (_what, before, after, patch) => {
  expect(buildMergePatch(before, after)).toEqual(patch)
})
