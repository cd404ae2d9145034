import { expect, test } from '@jest/globals'
import { rolesAfter } from '../src/pages/roles/roles-after.ts'

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
  ['without another change, the chosen roles result', ['a'], ['b'], ['a'], ['b']],
])('%s', (_case, opened, chosen, current, roles) => {
  expect(rolesAfter({ opened, chosen, current })).toEqual(roles)
})
