import { randomBytes } from 'node:crypto'
import { afterEach, expect, test } from '@jest/globals'
import { readConfig, sealKeysOf } from '../src/config.ts'

const key = () => randomBytes(32).toString('base64')
const environment = {
  ENVIRONMENT: 'prod',
  PORT: '0',
  DATABASE_URL: 'postgresql://localhost/x',
  AMQP_URL: 'amqp://localhost',
  ASSERTION_VERIFY_KEYS: JSON.stringify({ gateway: key() }),
  AUDIT_MESSAGE_KEY: JSON.stringify({ audit: key() }),
  AUDIT_MESSAGE_KEYS: JSON.stringify({ gateway: key(), audit: key() }),
  AUDIT_SEAL_KEYS: JSON.stringify({ one: key(), two: key() }),
  AUDIT_SEAL_KEY_CURRENT: 'two',
  AUDIT_CHECKPOINT_DIRECTORY: '/var/lib/checkpoints',
}

const before = { ...process.env }
afterEach(() => {
  process.env = { ...before }
})

test('accepts a complete environment, and accepts no seal without a key by default', () => {
  process.env = { ...environment }
  expect(sealKeysOf(readConfig())).toMatchObject({ current: 'two', unkeyedBefore: null })
  process.env = { ...environment, AUDIT_UNKEYED_SEALS_BEFORE: '2026-11-22T12:00:00Z' }
  expect(sealKeysOf(readConfig()).unkeyedBefore).toEqual(new Date('2026-11-22T12:00:00Z'))
})

test.each([
  ['AUDIT_SEAL_KEY_CURRENT', 'three', 'is not one of AUDIT_SEAL_KEYS'],
  ['AUDIT_SEAL_KEYS', '{}', 'is not one of AUDIT_SEAL_KEYS'],
  ['AUDIT_CHECKPOINT_DIRECTORY', '', 'is required unless ENVIRONMENT is dev|is not set'],
  ['AUDIT_UNKEYED_SEALS_BEFORE', 'yesterday', 'AUDIT_UNKEYED_SEALS_BEFORE'],
])('rejects %s=%s at start', (name, value, message) => {
  process.env = { ...environment, [name]: value }
  expect(readConfig).toThrow(new RegExp(message))
})

test('exports no checkpoints in dev without a directory', () => {
  process.env = { ...environment, ENVIRONMENT: 'dev', AUDIT_CHECKPOINT_DIRECTORY: '' }
  expect(readConfig().AUDIT_CHECKPOINT_DIRECTORY).toBeUndefined()
})
