import { expect, test } from '@jest/globals'
import { base62, checksumOf, parseKeyValue } from '../src/grammar/key-value.ts'
import { parseSessionValue, sessionIssuer } from '../src/grammar/session-value.ts'

const valueOf = (prefix: string, environment: string) => {
  const covered = `${prefix}_${environment}_${base62(2n ** 250n, 43)}`
  return covered + checksumOf(covered)
}

test.each(['dev', 'qa', 'prod'] as const)('the value of a session names its environment %s', (environment) => {
  expect(parseSessionValue(valueOf('pss', environment))).toEqual({ environment })
})

test('a session is no API key, and an API key no session', () => {
  expect(parseSessionValue(valueOf('psk', 'dev'))).toBeUndefined()
  expect(parseKeyValue(valueOf('pss', 'dev'))).toBeUndefined()
  expect(parseKeyValue(valueOf('psk', 'dev'))).toEqual({ environment: 'dev' })
})

test('a value of another form, or with a mistyped character, is malformed', () => {
  const value = valueOf('pss', 'dev')
  const mistyped = value.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
  const renamed = value.replace('_dev_', '_qa_')
  for (const wrong of ['', 'pss_', mistyped, renamed, `${value}0`, ` ${value}`, value.toUpperCase()]) {
    expect([wrong, parseSessionValue(wrong)]).toEqual([wrong, undefined])
  }
})

test('the JWTs of sessions have an issuer per environment', () => {
  const issuers = (['dev', 'qa', 'prod'] as const).map(sessionIssuer)
  expect(new Set(issuers).size).toBe(3)
})
