import { constants, generateKeyPairSync, privateDecrypt } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { Command, CommanderError } from 'commander'
import { type KeyOptions, keyOptions, type ShownKey, shownKeyFields, withKeyOutput } from '../src/key-output.ts'
import { runPayctl } from './run-payctl.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'key-output-'))
})
afterEach(() => {
  rmSync(directory, { recursive: true })
})

const value = 'sk_dev_a_value_that_is_shown_once'
const rsa = (modulusLength: number) => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength })
  return { privateKey, written: publicKey.export({ type: 'spki', format: 'der' }).toString('base64') }
}

/** The options as the command line parses them. */
function parsed(...args: string[]): KeyOptions & { json?: true } {
  const command = keyOptions(new Command().exitOverride().configureOutput({ writeErr: () => {} })).option('--json')
  return command.parse(args, { from: 'user' }).opts()
}

/** The part of the output of a command that describes the value. */
async function shownBy(...args: string[]): Promise<ShownKey> {
  let shown: ShownKey | undefined
  await withKeyOutput(parsed(...args), async (show) => {
    shown = show(value)
  })
  if (shown === undefined) throw new Error('the key was not created')
  return shown
}

describe('outside of a terminal', () => {
  test('needs an explicit destination, before anything is created', async () => {
    const create = jest.fn(async () => {})
    for (const args of [[], ['--json']])
      await expect(withKeyOutput(parsed(...args), create)).rejects.toThrow('--key-output')
    expect(create).not.toHaveBeenCalled()
    expect(await shownBy('--json', '--show-key')).toEqual({ value })
  })

  test.each([
    ['tenant', 'create', '--name', 'Acme'],
    ['tenant', 'create', '--name', 'Acme', '--json'],
    ['key', 'issue', '--tenant', '0190a0a0-0000-7000-8000-000000000000', '--role', 'admin'],
  ])('%s %s ends with exit code 2 and calls no service', async (...args) => {
    // Without an environment, a command that calls a service ends with exit code 1.
    const { code, stdout, stderr } = await runPayctl(args)
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('--key-output')])
  })
})

test('--key-output writes a new file that only its owner reads, and prints no value', async () => {
  const file = join(directory, 'key')
  const shown = await shownBy('--key-output', file, '--json')
  expect(JSON.stringify([shown, shownKeyFields(shown)])).not.toContain(value)
  expect(readFileSync(file, 'utf8')).toBe(`${value}\n`)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  await expect(shownBy('--key-output', file)).rejects.toThrow('EEXIST')
  expect(readFileSync(file, 'utf8')).toBe(`${value}\n`)
  await expect(shownBy('--key-output', join(directory, 'missing', 'key'))).rejects.toThrow(CommanderError)
})

test('--encrypt-key prints the value for the holder of the private key only', async () => {
  const { privateKey, written } = rsa(2048)
  const shown = await shownBy('--encrypt-key', written)
  if (!('value_encrypted' in shown)) throw new Error('not encrypted')
  const padding = { key: privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }
  expect(privateDecrypt(padding, Buffer.from(shown.value_encrypted, 'base64')).toString()).toBe(value)
  expect(shownKeyFields(shown)).toEqual({ 'api key (encrypted)': shown.value_encrypted })
})

test('rejects a weak key, another kind of key, and two destinations', async () => {
  const ed25519 = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
  for (const key of [rsa(1024).written, ed25519, 'no key']) expect(() => parsed('--encrypt-key', key)).toThrow('RSA')
  const file = join(directory, 'key')
  await expect(shownBy('--key-output', file, '--show-key')).rejects.toThrow('exclude each other')
  expect(existsSync(file)).toBe(false)
})

test('a key that was not created leaves no file', async () => {
  const file = join(directory, 'key')
  const failing = withKeyOutput(parsed('--key-output', file), () => Promise.reject(new Error('no service')))
  await expect(failing).rejects.toThrow('no service')
  expect(existsSync(file)).toBe(false)
})
