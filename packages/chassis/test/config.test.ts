import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { z } from 'zod'
import { assertionKeys } from '../src/assertion/assertion.ts'
import { json, listenConfig, loadConfig, origin, processConfig } from '../src/base/config.ts'

const schema = z.object({
  ...processConfig,
  ...listenConfig,
  DATABASE_URL: z.string().describe('where rows are stored'),
  KEYS: json(assertionKeys),
})

test('reports every invalid variable of an environment in one error', () => {
  const env = { ENVIRONMENT: 'production', PORT: '99999', DATABASE_URL: '', KEYS: '{"gateway":"c2hvcnQ="}' }
  expect(() => loadConfig(schema, env)).toThrow(
    /ENVIRONMENT: .*\n.*PORT: .*\n.*DATABASE_URL: is not set — where rows are stored\n.*KEYS: gateway: must be base64 of 32 bytes/,
  )
})

test('reports rules over several variables beside other invalid variables, unless a rule reads an invalid one', () => {
  const isSecure = (url: string | undefined) => url?.startsWith('https:') === true
  const spanning = z
    .object({ MODE: z.enum(['dev', 'prod']), A_URL: z.url(), B_URL: z.url().optional(), COUNT: z.coerce.number() })
    .refine(({ MODE, A_URL }) => MODE === 'dev' || isSecure(A_URL), { path: ['A_URL'], message: 'must be https' })
    .refine(({ MODE, B_URL }) => MODE === 'dev' || isSecure(B_URL), { path: ['B_URL'], message: 'must be https' })
    .check((context) => {
      if (context.value.COUNT > 1) context.issues.push({ code: 'custom', input: 2, path: ['COUNT'], message: 'one' })
    })
  const listErrors = (env: Record<string, string>) => {
    try {
      return loadConfig(spanning, env)
    } catch (error) {
      return String(error).split('\n').slice(1)
    }
  }
  expect(listErrors({ MODE: 'prod', A_URL: 'http://a.example', COUNT: 'x' })).toEqual([
    '  COUNT: must be a number',
    '  A_URL: must be https',
    '  B_URL: is not set',
  ])
  expect(listErrors({ MODE: 'x', A_URL: 'http://a.example', COUNT: '2' })).toEqual([
    expect.stringContaining('  MODE: '),
    '  COUNT: one',
  ])
  expect(listErrors({ MODE: 'dev', A_URL: 'http://a.example', COUNT: '1' })).toMatchObject({ COUNT: 1 })
})

test('reports a variable that is not JSON', () => {
  const env = { ENVIRONMENT: 'dev', PORT: '1', DATABASE_URL: 'x', KEYS: '{' }
  expect(() => loadConfig(schema, env)).toThrow(/KEYS: must be JSON/)
})

test('parses a valid environment, with defaults', () => {
  const bytes = randomBytes(32)
  const key = bytes.toString('base64')
  const config = loadConfig(schema, {
    ENVIRONMENT: 'qa',
    PORT: '8081',
    DATABASE_URL: 'x',
    KEYS: `{"gateway":"${key}"}`,
  })
  expect(config).toMatchObject({ ENVIRONMENT: 'qa', PORT: 8081, HOST: '127.0.0.1', LOG_LEVEL: 'info' })
  expect(config.KEYS.get('gateway')?.export()).toEqual(bytes)
})

test.each(['https://a.example.com/x', 'https://user@a.example.com', 'ftp://a.example.com', 'a.example.com'])(
  'an origin is not %s',
  (value) => {
    expect(origin.safeParse(value).success).toBe(false)
  },
)

test('an origin is written as browsers write it', () => {
  expect(origin.parse('https://A.example.com:443/')).toBe('https://a.example.com')
})
