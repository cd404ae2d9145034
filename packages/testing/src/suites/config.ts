import { randomBytes } from 'node:crypto'
import { afterEach, expect, test } from '@jest/globals'

type Variables = Readonly<Record<string, string>>

/** A variable with a random key for each name, as JSON. */
export const generateKeys = (...names: readonly string[]) =>
  JSON.stringify(Object.fromEntries(names.map((name) => [name, randomBytes(32).toString('base64')])))

/** A key of 32 bytes, or a longer private key. */
const keyPattern = /"[A-Za-z0-9+/=]{44,}"/g

/** The variables that every service requires. */
export const serviceVariables = {
  ENVIRONMENT: 'dev',
  PORT: '0',
  DATABASE_URL: 'postgresql://localhost/x',
  AMQP_URL: 'amqp://localhost',
  AUDIT_MESSAGE_KEY: generateKeys('service'),
  ASSERTION_VERIFY_KEYS: generateKeys('gateway'),
} as const

export const vaultVariables = { VAULT_KEYS: generateKeys('k1'), VAULT_KEY_CURRENT: 'k1' } as const

export interface ConfigSubject<Config> {
  readonly readConfig: () => Config
  /** The variables that the process requires in development. */
  readonly variables: Variables & { readonly ENVIRONMENT: 'dev' }
  /** Switches that may be on in development only. */
  readonly developmentSwitches?: readonly (string & keyof Config)[]
}

/**
 * The tests that each process has, about the variables that it requires. Keys and current keys are found by the form of
 * their variables.
 *
 * @returns Reads the configuration with changed variables; undefined removes one.
 */
export function configSuite<Config>({ readConfig, variables, developmentSwitches = [] }: ConfigSubject<Config>) {
  const inherited = process.env
  afterEach(() => {
    process.env = inherited
  })
  const read = (changes: Readonly<Record<string, string | undefined>> = {}): Config => {
    const given = Object.entries({ ...variables, ...changes }).filter(([, value]) => value !== undefined)
    process.env = Object.fromEntries(given)
    return readConfig()
  }
  const names = Object.keys(variables)
  const keyNames = names.filter((name) => variables[name]?.startsWith('{'))

  test('accepts an environment with every required variable', () => {
    expect(read()).toMatchObject({ ENVIRONMENT: 'dev' })
  })

  test('rejects an empty environment and names every missing variable', () => {
    const message = readErrorMessage(() => read(Object.fromEntries(names.map((name) => [name, undefined]))))
    expect(namedIn(message, /^ {2}(\w+): is not set/gm)).toEqual(expect.arrayContaining(names))
  })

  test.each([
    ['that is not JSON', (keys: string) => keys.slice(0, -1)],
    ['that is too short', (keys: string) => keys.replaceAll(keyPattern, (key) => `${key.slice(0, 20)}"`)],
    [
      'that looks like a default',
      (keys: string) => keys.replaceAll(keyPattern, `"${Buffer.alloc(32).toString('base64')}"`),
    ],
  ])('names every variable with a key %s and every other invalid variable at once, and shows no key', (_, broken) => {
    const keys = Object.fromEntries(keyNames.map((name) => [name, broken(variables[name] ?? '')]))
    const message = readErrorMessage(() => read({ ...keys, ENVIRONMENT: 'staging' }))
    expect(namedIn(message, /^ {2}(\w+)[:/]/gm)).toEqual(expect.arrayContaining([...keyNames, 'ENVIRONMENT']))
    const secrets = keyNames.flatMap((name) => Object.values<string>(JSON.parse(variables[name] ?? '')))
    for (const secret of secrets) expect(message).not.toContain(secret.slice(0, 12))
  })

  const serverNames = names.filter((name) => name === 'DATABASE_URL' || name === 'AMQP_URL')
  test.each(serverNames)('rejects a %s of another protocol', (name) => {
    expect(readErrorMessage(() => read({ [name]: 'http://x' }))).toMatch(new RegExp(`^ {2}${name}: must begin`, 'm'))
  })

  const currentNames = names.filter((name) => name.endsWith('_CURRENT'))
  if (currentNames.length > 0) {
    test.each(currentNames)(
      'rejects a %s that names none of the keys, also beside another invalid variable',
      (name) => {
        expect(() => read({ [name]: 'unknown' })).toThrow(name)
        const message = readErrorMessage(() => read({ [name]: 'unknown', LOG_LEVEL: 'loud' }))
        expect(namedIn(message, /^ {2}(\w+):/gm)).toEqual(['LOG_LEVEL', name])
      },
    )
  }

  if (developmentSwitches.length > 0) {
    test.each(developmentSwitches)('%s is off by default, and may be on in development only', (name) => {
      expect([read()[name], read({ [name]: 'true' })[name]]).toEqual([false, true])
      for (const ENVIRONMENT of ['qa', 'prod']) {
        expect(() => read({ ENVIRONMENT, [name]: 'true' })).toThrow(name)
        expect(() => read({ ENVIRONMENT, [name]: 'true', LOG_LEVEL: 'loud' })).toThrow(name)
        expect(read({ ENVIRONMENT })[name]).toBe(false)
      }
    })
  }
  return read
}

const namedIn = (message: string, pattern: RegExp) => [...message.matchAll(pattern)].map(([, name]) => name)

function readErrorMessage(act: () => unknown): string {
  try {
    act()
  } catch (error) {
    return String(error)
  }
  throw new Error('nothing was rejected')
}
