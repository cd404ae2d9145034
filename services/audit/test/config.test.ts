import { expect, test } from '@jest/globals'
import { configSuite, generateKeys, serviceVariables } from '@payments/testing/suites/config'
import { readConfig } from '../src/config.ts'

const read = configSuite({
  readConfig,
  variables: {
    ...serviceVariables,
    AUDIT_MESSAGE_KEYS: generateKeys('gateway', 'audit'),
    AUDIT_SEAL_KEYS: generateKeys('one', 'two'),
    AUDIT_SEAL_KEY_CURRENT: 'two',
  },
})
const AUDIT_CHECKPOINT_DIRECTORY = '/var/lib/checkpoints'

test.each([
  ['AUDIT_SEAL_KEYS', '{}', 'is not one of AUDIT_SEAL_KEYS'],
  ['AUDIT_CHECKPOINT_DIRECTORY', '', 'is not set'],
])('rejects %s=%s at start', (name, value, message) => {
  expect(() => read({ ENVIRONMENT: 'prod', AUDIT_CHECKPOINT_DIRECTORY, [name]: value })).toThrow(message)
})

test('exports no checkpoints in dev without a directory', () => {
  expect(read({ AUDIT_CHECKPOINT_DIRECTORY: '' }).AUDIT_CHECKPOINT_DIRECTORY).toBeUndefined()
})
