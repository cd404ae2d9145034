import { expect, test } from '@jest/globals'
import { listAfter } from '../src/text/changes.ts'

test.each([
  [
    'a role that another person has taken is not given back',
    ['admin', 'viewer'],
    ['admin', 'viewer', 'dev'],
    ['viewer'],
    ['viewer', 'dev'],
  ],
  [
    'a role that another person has given stays',
    ['viewer'],
    ['viewer', 'dev'],
    ['viewer', 'admin'],
    ['viewer', 'admin', 'dev'],
  ],
  ['a role that the form has taken is taken', ['admin', 'viewer'], ['viewer'], ['admin', 'viewer'], ['viewer']],
  ['another list in place of every value is that of the form and of the other person', null, ['a'], ['b'], ['b', 'a']],
  ['every value, chosen in the form, is every value', ['a'], null, ['a', 'b'], null],
  ['a list of the form replaces every value, chosen by another person', ['a'], ['a', 'b'], null, ['a', 'b']],
  ['without another change, the chosen roles result', ['a'], ['b'], ['a'], ['b']],
])('%s', (_case, opened, chosen, current, roles) => {
  expect(listAfter({ opened, chosen, current })).toEqual(roles)
})
