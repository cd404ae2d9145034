import { expect, test } from '@jest/globals'
import { members } from '@payments/chassis/base/fair-permits'
import { createProviderGates, gateLimits, type ProviderHealth } from '../src/connectors/provider-gates.ts'

/** Returns a function that sends an operation, which shows this health. Returns whether it was admitted. */
function gate() {
  const gates = createProviderGates(gateLimits)
  return (health: ProviderHealth) => {
    const ticket = gates.enter('one', 'execute')
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
  for (let failure = 0; failure < gateLimits.failuresMax; failure += 1) {
    expect([send('failing'), failure === gateLimits.failuresMax - 1 || send('not_shown')]).toEqual([true, true])
  }
  expect(send('healthy')).toBe(false)
})

test.each([
  ['execute', 48, 64],
  ['sync', 12, 16],
] as const)('one key has three quarters of the requests in flight: %s', (kind, ofKeyMax, max) => {
  const gates = createProviderGates()
  const enter = (key: string) => members.run(key, () => gates.enter('one', kind))
  const admitted = (key: string) => {
    const tickets = []
    for (let ticket = enter(key); 'leave' in ticket; ticket = enter(key)) tickets.push(ticket)
    return tickets
  }
  const [first, others] = [admitted('key'), admitted('other')]
  expect([first.length, others.length]).toEqual([ofKeyMax, max - ofKeyMax])
  first[0]?.leave('healthy')
  expect([admitted('other').length, admitted('').length]).toEqual([1, 0])
})
