import { expect, test } from '@jest/globals'
import { businessUnitContract } from '../src/services/business-unit/contract.ts'

const { body } = businessUnitContract.endpoints.createBusinessUnit

test.each([
  ['Europe/Berlin', 'Europe/Berlin'],
  ['europe/berlin', 'Europe/Berlin'],
  ['utc', 'UTC'],
  ['Asia/Kolkata', 'Asia/Kolkata'],
  ['US/Eastern', 'US/Eastern'],
  ['Etc/GMT+5', 'Etc/GMT+5'],
])('the time zone %s is stored as %s', (written, name) => {
  expect(body.parse({ name: 'x', timezone_name: written }).timezone_name).toBe(name)
})

test.each(['', '+01:00', 'Europe/Atlantis', '../etc', 'Europe/Berlin '])('%j is no time zone', (written) => {
  const { error } = body.safeParse({ name: 'x', timezone_name: written })
  expect(error?.issues).toMatchObject([{ path: ['timezone_name'] }])
})
