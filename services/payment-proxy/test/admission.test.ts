import { expect, test } from '@jest/globals'
import { admissionLimits, createAdmission, type ProviderHealth } from '../src/connectors/admission.ts'

/** Returns a function that sends an operation, which shows this health. Returns whether it was admitted. */
function gate() {
  const admission = createAdmission(admissionLimits)
  return (health: ProviderHealth) => {
    const ticket = admission.enter('one', 'execute')
    if ('rejected' in ticket) return false
    ticket.leave(health)
    return true
  }
}

test('operations that the account cannot know leave the circuit closed', () => {
  const send = gate()
  for (let count = 0; count < 20; count += 1) expect(send('not_shown')).toBe(true)
  expect(send('healthy')).toBe(true)
})

test('they do not hide that the provider fails', () => {
  const send = gate()
  for (let failure = 0; failure < admissionLimits.failuresMax; failure += 1) {
    expect([send('failing'), failure === admissionLimits.failuresMax - 1 || send('not_shown')]).toEqual([true, true])
  }
  expect(send('healthy')).toBe(false)
})
