import { expect, test } from '@jest/globals'
import { base62, calculateChecksum, parseKeyValue } from '../src/grammar/key-value.ts'
import { parseSessionValue, sessionIssuer } from '../src/grammar/session-value.ts'

const buildValue = (prefix: string, environment: string) => {
  const covered = `${prefix}_${environment}_${base62(2n ** 250n, 43)}`
  return covered + calculateChecksum(covered)
}

test.each(['dev', 'qa', 'prod'] as const)('the value of a session names its environment %s', (environment) => {
  expect(parseSessionValue(buildValue('pss', environment))).toEqual({ environment })
})

test('a session is no API key, and an API key no session', () => {
  expect(parseSessionValue(buildValue('psk', 'dev'))).toBeUndefined()
  expect(parseKeyValue(buildValue('pss', 'dev'))).toBeUndefined()
  expect(parseKeyValue(buildValue('psk', 'dev'))).toEqual({ environment: 'dev' })
})

test('a value of another form, or with a mistyped character, is malformed', () => {
  const value = buildValue('pss', 'dev')
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
